"""Reports a syntax error: the sentence for the user, and how the parser continues.

Each function of `_RECOGNISERS` looks for one kind of mistake; the first that sees its kind reports it, mends the words
in the situation and answers True. What none of them knows is reported as an unexpected word, and the statement is
given up.
"""

from starplat.frontend.mistakes import brackets, habits, heads, recovery, statements, wording


def explain(situation: recovery.Situation) -> None:
    """Reports why the word found does not fit and leaves the situation so that the parser can go on."""
    if situation.given_up_here:
        situation.give_up_statement()
    elif not any(recognise(situation) for recognise in _RECOGNISERS):
        _unexpected(situation)


def _unexpected(situation: recovery.Situation) -> None:
    expected = wording.alternatives(situation.accepted(), situation.lexer)
    found = situation.found
    situation.report("E0101", f"expected {expected}, found {wording.quoted(found)}", found)
    situation.give_up_statement()


_RECOGNISERS = (
    statements.no_word,
    heads.result_type,
    habits.foreign_operator,
    habits.cast,
    habits.array,
    habits.pointer,
    habits.modifier,
    habits.comment_for_division,
    heads.head_without_brackets,
    heads.iterator_with_type,
    heads.colon_for_in,
    heads.several_iterators,
    heads.colon_before_body,
    heads.reversed_parameter,
    heads.type_repeated,
    heads.size_behind_name,
    habits.foreign_statement,
    habits.superfluous_then,
    habits.until_for_while,
    habits.word_operator,
    habits.split_operator,
    habits.property_without_element,
    heads.filter_behind_brackets,
    heads.condition_in_head,
    heads.counting_domain,
    heads.condition_between,
    heads.fixed_point_without_flag,
    statements.missing_until,
    statements.misspelt_word,
    heads.membership,
    brackets.missing_brace,
    statements.outside_of_functions,
    statements.unknown_type,
    statements.reserved_name,
    statements.parameter_without_type,
    statements.assignment_for_comparison,
    statements.bare_comparison,
    statements.increment_between_values,
    brackets.end_of_file,
    brackets.function_inside,
    statements.part_without_whole,
    statements.stray_semicolon,
    statements.missing_semicolon,
    brackets.unclosed_bracket,
    brackets.stray_closer,
    statements.missing_expression,
)
"""In the order of trust: the more a mistake's traces are its own, the earlier."""
