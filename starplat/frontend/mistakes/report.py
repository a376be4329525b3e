"""Reports a syntax error: the sentence for the user, and how the parser continues.

Each function of `_RECOGNISERS` looks for one kind of mistake; the first that sees its kind reports it, mends the words
in the situation and answers True. What none of them knows is reported as an unexpected word, and the statement is
given up.
"""

from starplat.frontend.mistakes import brackets as mistaken_brackets
from starplat.frontend.mistakes import habits as mistaken_habits
from starplat.frontend.mistakes import heads as mistaken_heads
from starplat.frontend.mistakes import orders as mistaken_orders
from starplat.frontend.mistakes import recovery, wording
from starplat.frontend.mistakes import statements as mistaken_statements
from starplat.frontend.mistakes import words as mistaken_words


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
    mistaken_words.no_word,
    mistaken_heads.result_type,
    mistaken_habits.foreign_operator,
    mistaken_habits.cast,
    mistaken_habits.array,
    mistaken_habits.pointer,
    mistaken_habits.modifier,
    mistaken_habits.comment_for_division,
    mistaken_heads.head_without_brackets,
    mistaken_heads.iterator_with_type,
    mistaken_heads.colon_for_in,
    mistaken_heads.several_iterators,
    mistaken_heads.colon_before_body,
    mistaken_heads.reversed_parameter,
    mistaken_heads.type_repeated,
    mistaken_heads.size_behind_name,
    mistaken_habits.foreign_statement,
    mistaken_habits.superfluous_then,
    mistaken_habits.until_for_while,
    mistaken_habits.word_operator,
    mistaken_habits.split_operator,
    mistaken_habits.property_without_element,
    mistaken_orders.filter_behind_brackets,
    mistaken_orders.condition_in_head,
    mistaken_orders.counting_domain,
    mistaken_orders.condition_between,
    mistaken_orders.fixed_point_without_flag,
    mistaken_words.missing_until,
    mistaken_words.misspelt_word,
    mistaken_orders.membership,
    mistaken_brackets.missing_brace,
    mistaken_statements.outside_of_functions,
    mistaken_words.unknown_type,
    mistaken_words.reserved_name,
    mistaken_words.parameter_without_type,
    mistaken_statements.assignment_for_comparison,
    mistaken_statements.bare_comparison,
    mistaken_statements.increment_between_values,
    mistaken_brackets.end_of_file,
    mistaken_brackets.function_inside,
    mistaken_statements.part_without_whole,
    mistaken_statements.stray_semicolon,
    mistaken_statements.missing_semicolon,
    mistaken_brackets.unclosed_bracket,
    mistaken_brackets.stray_closer,
    mistaken_statements.missing_expression,
)
"""In the order of trust: the more a mistake's traces are its own, the earlier."""
