/**
 * The syntax of StarPlat programs (`.sp`) for tree-sitter: what `grammar/starplat.lark` accepts, and a little more,
 * so that a program that is still being written has a tree too.
 */

// How tightly operators bind, loosest first.
const TIGHTNESS = {
  ternary: 1,
  or: 2,
  and: 3,
  bits_or: 4,
  bits_xor: 5,
  bits_and: 6,
  equality: 7,
  relation: 8,
  shift: 9,
  sum: 10,
  product: 11,
  prefix: 12,
  postfix: 13,
};

const BINARY = [
  ["or", "||"],
  ["and", "&&"],
  ["bits_or", "|"],
  ["bits_xor", "^"],
  ["bits_and", "&"],
  ["equality", "==", "!="],
  ["relation", "<", "<=", ">", ">="],
  ["shift", "<<", ">>"],
  ["sum", "+", "-"],
  ["product", "*", "/", "%"],
];

const ASSIGNMENTS = ["=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=", "&&=", "||="];

// Words of the language that names may have too.
const SOFT = ["in", "from", "to", "by", "until", "filter", "Batch", "OnAdd", "OnDelete", "Incremental", "Decremental", "import"];

const listed = (rule) => seq(rule, repeat(seq(",", rule)));

module.exports = grammar({
  name: "starplat",

  word: ($) => $.identifier,

  extras: ($) => [/\s/, $.comment],

  // Only what follows tells whether `>` closes `<a, b>` or compares.
  conflicts: ($) => [[$._between, $.binary_expression]],

  rules: {
    program: ($) => repeat(choice($.import_declaration, $.function_definition)),

    import_declaration: ($) => seq("import", field("path", $.string), ";"),

    function_definition: ($) =>
      seq(
        choice(
          seq(choice("function", "Static", "Dynamic"), field("name", $._name)),
          "Incremental",
          "Decremental",
        ),
        field("parameters", $.parameters),
        field("body", $.block),
      ),

    parameters: ($) => seq("(", optional(listed($.parameter)), ")"),

    parameter: ($) =>
      seq(
        field("type", $._type),
        optional("&"),
        field("name", $._name),
        optional(seq("(", field("graph", $._name), ")")),
        optional(seq("=", field("default", choice($._literal, $.signed_number)))),
      ),

    signed_number: ($) => seq(choice("-", "+"), $._literal),

    // Types.

    _type: ($) => choice($.primitive_type, $.property_type, $.graph_type, $.map_type, $.list_type, $.container_type),

    primitive_type: ($) =>
      choice("int", "long", "float", "double", "bool", "Graph", "dirGraph", "node", "edge", "list"),

    property_type: ($) =>
      seq(choice("propNode", "propEdge"), "<", $._type, optional(seq(",", field("graph", $._name))), ">"),

    graph_type: ($) => seq(choice("SetN", "SetE", "updates"), "<", field("graph", $._name), ">"),

    map_type: ($) =>
      choice(seq("map", "<", $._type, ",", $._type, ">"), seq("nodeMap", "(", $._type, ")")),

    list_type: ($) => seq("list", "<", $._type, ">"),

    container_type: ($) =>
      seq("container", "<", $._type, ">", optional(seq("(", $._expression, optional(seq(",", $._expression)), ")"))),

    // Statements.

    block: ($) => seq("{", repeat($._statement), "}"),

    _statement: ($) =>
      choice(
        $.block,
        $.declaration,
        $.assignment_statement,
        $.expression_statement,
        $.multiple_assignment,
        $.return_statement,
        $.break_statement,
        $.continue_statement,
        $.if_statement,
        $.while_statement,
        $.do_statement,
        $.forall_statement,
        $.for_statement,
        $.loop_statement,
        $.fixed_point_statement,
        $.bfs_statement,
        $.batch_statement,
        $.update_statement,
      ),

    declaration: ($) => seq(field("type", $._type), listed($.declarator), ";"),

    declarator: ($) =>
      seq(
        field("name", $._name),
        optional(seq("(", field("graph", $._name), ")")),
        optional(seq("=", field("value", $._expression))),
      ),

    assignment_statement: ($) => seq($.assignment, ";"),

    assignment: ($) =>
      seq(field("target", $._expression), field("operator", choice(...ASSIGNMENTS)), field("value", $._expression)),

    expression_statement: ($) => seq($._expression, ";"),

    multiple_assignment: ($) =>
      seq(
        "<",
        field("targets", $.expressions),
        choice(seq(">", "="), ">="),
        "<",
        field("values", $.expressions),
        ">",
        ";",
      ),

    expressions: ($) => $._between,

    // As tight as a comparison, so that neither wins without a look at what follows.
    _between: ($) => prec(TIGHTNESS.relation, choice($._expression, seq($._between, ",", $._expression))),

    return_statement: ($) => seq("return", optional(listed($._expression)), ";"),

    break_statement: ($) => seq("break", ";"),

    continue_statement: ($) => seq("continue", ";"),

    if_statement: ($) =>
      prec.right(
        seq(
          "if",
          "(",
          field("condition", $._expression),
          ")",
          field("consequence", $._statement),
          optional(seq("else", field("alternative", $._statement))),
        ),
      ),

    while_statement: ($) => seq("while", "(", field("condition", $._expression), ")", field("body", $._statement)),

    do_statement: ($) =>
      seq("do", field("body", $._statement), "while", "(", field("condition", $._expression), ")", ";"),

    forall_statement: ($) =>
      seq(
        choice("forall", "for"),
        "(",
        field("variable", $._name),
        "in",
        field("domain", $._expression),
        ")",
        field("body", $._statement),
      ),

    for_statement: ($) =>
      seq(
        "for",
        "(",
        optional(field("type", $._type)),
        field("variable", $._name),
        "=",
        field("start", $._expression),
        ";",
        field("condition", $._expression),
        ";",
        field("step", choice($.assignment, $._expression)),
        ")",
        field("body", $._statement),
      ),

    loop_statement: ($) =>
      seq(
        "loop",
        "(",
        field("variable", $._name),
        "in",
        field("start", $._expression),
        "to",
        field("end", $._expression),
        "by",
        field("step", $._expression),
        ")",
        field("body", $._statement),
      ),

    fixed_point_statement: ($) =>
      seq(
        "fixedPoint",
        "until",
        "(",
        field("flag", $._name),
        ":",
        field("condition", $._expression),
        ")",
        field("body", $.block),
      ),

    bfs_statement: ($) =>
      prec.right(
        seq(
          "iterateInBFS",
          "(",
          field("variable", $._name),
          "in",
          field("domain", $._expression),
          "from",
          field("source", $._expression),
          ")",
          optional(seq(".", "filter", "(", field("filter", $._expression), ")")),
          field("body", $.block),
          optional($.reverse),
        ),
      ),

    reverse: ($) =>
      seq("iterateInReverse", optional(seq("(", field("filter", $._expression), ")")), field("body", $.block)),

    batch_statement: ($) =>
      prec(
        1,
        seq("Batch", "(", field("updates", $._name), ":", field("size", $._expression), ")", field("body", $.block)),
      ),

    update_statement: ($) =>
      prec(
        1,
        seq(
          choice("OnAdd", "OnDelete"),
          "(",
          field("variable", $._name),
          "in",
          field("domain", $._expression),
          ")",
          optional(":"),
          field("body", $.block),
        ),
      ),

    // Expressions.

    _expression: ($) =>
      choice(
        $.ternary_expression,
        $.binary_expression,
        $.unary_expression,
        $.update_expression,
        $.attribute,
        $.index_expression,
        $.call_expression,
        $.cast_expression,
        $.parenthesized_expression,
        $._name,
        $._literal,
        $.string,
      ),

    ternary_expression: ($) =>
      prec.right(
        TIGHTNESS.ternary,
        seq(
          field("condition", $._expression),
          "?",
          field("consequence", $._expression),
          ":",
          field("alternative", $._expression),
        ),
      ),

    binary_expression: ($) =>
      choice(
        ...BINARY.map(([name, ...operators]) =>
          prec.left(
            TIGHTNESS[name],
            seq(
              field("left", $._expression),
              field("operator", operators.length > 1 ? choice(...operators) : operators[0]),
              field("right", $._expression),
            ),
          ),
        ),
      ),

    unary_expression: ($) =>
      prec.right(
        TIGHTNESS.prefix,
        seq(field("operator", choice("!", "-", "~", "+")), field("operand", $._expression)),
      ),

    update_expression: ($) =>
      choice(
        prec.right(TIGHTNESS.prefix, seq(choice("++", "--"), $._expression)),
        prec.left(TIGHTNESS.postfix, seq($._expression, choice("++", "--"))),
      ),

    attribute: ($) =>
      prec.left(TIGHTNESS.postfix, seq(field("object", $._expression), ".", field("name", $._name))),

    index_expression: ($) =>
      prec.left(TIGHTNESS.postfix, seq(field("object", $._expression), "[", field("index", $._expression), "]")),

    call_expression: ($) =>
      prec.left(TIGHTNESS.postfix, seq(field("function", $._expression), field("arguments", $.arguments))),

    arguments: ($) => seq("(", optional(listed(choice($._expression, $.keyword_argument))), ")"),

    keyword_argument: ($) => seq(field("name", $._name), "=", field("value", $._expression)),

    cast_expression: ($) => seq(field("type", choice("int", "long", "float", "double")), "(", $._expression, ")"),

    parenthesized_expression: ($) => seq("(", $._expression, ")"),

    // Words.

    _literal: ($) => choice($.integer, $.real, $.boolean, $.infinity),

    boolean: ($) => choice("True", "true", "False", "false"),

    infinity: ($) => choice("INF", "INT_MAX"),

    _name: ($) => choice($.identifier, ...SOFT.map((word) => alias(word, $.identifier))),

    identifier: ($) => /[A-Za-z_][A-Za-z0-9_]*/,

    integer: ($) => /[0-9]+/,

    real: ($) => /([0-9]+\.[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?f?|[0-9]+[eE][+-]?[0-9]+f?/,

    string: ($) => /"([^"\\\n\r]|\\["\\nt])*"/,

    comment: ($) => token(choice(/\/\/[^\n]*/, /\/\*[^*]*\*+([^/*][^*]*\*+)*\//)),
  },
});
