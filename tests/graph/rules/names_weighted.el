Ann Bob 3
Bob Ann 2.5
