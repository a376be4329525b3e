// Prints the C code of the parser of a grammar, which is JSON on stdin.
#include <iostream>
#include <iterator>
#include <string>

#include "tree_sitter/compiler.h"

int main() {
    const std::string grammar((std::istreambuf_iterator<char>(std::cin)), {});
    const TSCompileResult result = ts_compile_grammar(grammar.c_str(), nullptr);
    if (result.error_type != TSCompileErrorTypeNone) {
        std::cerr << result.error_message << '\n';
        return 1;
    }
    std::cout << result.code;
}
