// Prints the tree of every file that is named, a line each: `ok` or `error`, a tab, the tree.
#include <stdio.h>
#include <stdlib.h>

#include "tree_sitter/runtime.h"

const TSLanguage *tree_sitter_starplat(void);

int main(int count, char **files) {
    TSParser *parser = ts_parser_new();
    ts_parser_set_language(parser, tree_sitter_starplat());
    for (int i = 1; i < count; i++) {
        FILE *file = fopen(files[i], "rb");
        if (!file) {
            perror(files[i]);
            return 1;
        }
        fseek(file, 0, SEEK_END);
        size_t size = (size_t)ftell(file);
        rewind(file);
        char *text = malloc(size + 1);
        size = fread(text, 1, size, file);
        fclose(file);
        TSTree *tree = ts_parser_parse_string(parser, NULL, text, (uint32_t)size);
        const TSNode root = ts_tree_root_node(tree);
        char *shown = ts_node_string(root);
        printf("%s\t%s\n", ts_node_has_error(root) ? "error" : "ok", shown);
        free(shown);
        free(text);
        ts_tree_delete(tree);
    }
    ts_parser_delete(parser);
    return 0;
}
