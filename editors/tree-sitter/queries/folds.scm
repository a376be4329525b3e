[
  (block)
  (comment)
] @fold
