; Later patterns win.

(identifier) @variable

(attribute
  name: (identifier) @property)

(call_expression
  function: (identifier) @function.call)

(call_expression
  function: (attribute
    name: (identifier) @function.method.call))

(keyword_argument
  name: (identifier) @property)

(function_definition
  name: (identifier) @function)

(parameter
  name: (identifier) @variable.parameter)

(primitive_type) @type.builtin

[
  "propNode"
  "propEdge"
  "SetN"
  "SetE"
  "updates"
  "list"
  "map"
  "nodeMap"
  "container"
] @type.builtin

(cast_expression
  type: _ @type.builtin)

((call_expression
  function: (identifier) @function.builtin)
  (#any-of? @function.builtin "Min" "Max" "Sum" "Count" "Any" "All"))

[
  "function"
  "Static"
  "Dynamic"
  "Incremental"
  "Decremental"
] @keyword.function

"import" @keyword.import

"return" @keyword.return

[
  "if"
  "else"
] @keyword.conditional

[
  "forall"
  "for"
  "while"
  "do"
  "loop"
  "break"
  "continue"
  "fixedPoint"
  "until"
  "iterateInBFS"
  "iterateInReverse"
  "in"
  "from"
  "to"
  "by"
  "filter"
  "Batch"
  "OnAdd"
  "OnDelete"
] @keyword.repeat

(integer) @number

(real) @number.float

(boolean) @boolean

(infinity) @constant.builtin

(string) @string

(comment) @comment

[
  "="
  "+="
  "-="
  "*="
  "/="
  "%="
  "<<="
  ">>="
  "&="
  "|="
  "^="
  "&&="
  "||="
  "=="
  "!="
  "<"
  "<="
  ">"
  ">="
  "<<"
  ">>"
  "+"
  "-"
  "*"
  "/"
  "%"
  "!"
  "~"
  "&"
  "|"
  "^"
  "&&"
  "||"
  "++"
  "--"
  "?"
] @operator

[
  "("
  ")"
  "["
  "]"
  "{"
  "}"
] @punctuation.bracket

[
  ","
  ";"
  "."
  ":"
] @punctuation.delimiter
