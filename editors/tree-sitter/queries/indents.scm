[
  (block)
  (parameters)
  (arguments)
] @indent.begin

[
  "}"
  ")"
] @indent.end @indent.branch
