#ifndef STARPLAT_ARGUMENTS_HPP
#define STARPLAT_ARGUMENTS_HPP
// The command line of a program: the graph's file, what the algorithm takes, and options that all programs have. Needs
// C++17.

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

namespace starplat {

// A command line that does not say what to do; the program then ends with 2, and with 1 for all else that is wrong.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// An option as --help shows it, and what it means: "--src NODE", or "[--damping DOUBLE]" for one that may be missing.
struct Option {
    std::string form, meaning;

    std::string bare_form() const { return form[0] == '[' ? form.substr(1, form.size() - 2) : form; }

    std::string name() const { return bare_form().substr(2, bare_form().find(' ') - 2); }

    bool has_value() const { return form.find(' ') != std::string::npos; }
};

// The command line: a graph file and "--name value" or "--name=value", each name once.
class Arguments {
public:
    std::string graph_file;
    bool wants_help = false;

    // `own_options` are what the algorithm takes.
    Arguments(int argc, char **argv, const std::vector<Option> &own_options) : own(own_options) {
        for (int i = 1; i < argc; i++) {
            const std::string word = argv[i];
            if (word == "--" + called("help") || word == "-h") {
                wants_help = true;
                return;
            }
            if (word.rfind("--", 0) != 0) {
                if (!graph_file.empty()) throw UsageError("one graph file is enough: '" + word + "' is a second");
                graph_file = word;
                continue;
            }
            const std::size_t equals = word.find('=');
            const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
            if (has(name)) throw UsageError("--" + name + " is given twice");
            const std::vector<Option> known = options();
            const auto is_it = [&](const Option &one) { return one.name() == name; };
            const auto option = std::find_if(known.begin(), known.end(), is_it);
            if (option == known.end() || (!option->has_value() && equals != std::string::npos)) {
                throw UsageError("'" + word + "' is no argument of this program");
            } else if (!option->has_value()) {
                given[name] = "true";
            } else if (equals != std::string::npos) {
                given[name] = word.substr(equals + 1);
            } else if (i + 1 < argc) {
                given[name] = argv[++i];
            } else {
                throw UsageError("'" + word + "' has no value");
            }
        }
        if (graph_file.empty()) throw UsageError("no graph file is given");
    }

    // What an option of all programs is called in this one, whose algorithm may take something of the same name.
    std::string called(const std::string &name) const {
        const auto is_it = [&](const Option &one) { return one.name() == name; };
        return std::any_of(own.begin(), own.end(), is_it) ? name + "-option" : name;
    }

    // What --help says of a program of that name.
    std::string help(const std::string &program) const {
        std::string text = "usage: " + program + " GRAPH";
        for (const Option &one : own) text += " " + one.form;
        text += " [OPTIONS]\n";
        std::vector<Option> lines = options();
        lines.insert(lines.begin(), {"GRAPH", "an edge list, a DIMACS .gr, a Matrix Market or an .spg file, "
                                              "not compressed"});
        std::size_t width = 0;
        for (const Option &one : lines) width = std::max(width, one.bare_form().size());
        for (const Option &one : lines) {
            const std::string form = one.bare_form();
            text += "  " + form + std::string(width + 2 - form.size(), ' ') + one.meaning + "\n";
        }
        return text;
    }

    // All that is given but for where: the graph's file, the device, the file of results. Of lists in files, the lists.
    std::string of_run() const {
        std::string text;
        for (const auto &[name, value] : given) {
            if (name != called("device") && name != called("out")) text += " --" + name + " " + listed(name);
        }
        return text;
    }

    bool has(const std::string &name) const { return given.count(name) != 0; }

    const std::string &text(const std::string &name) const {
        if (!has(name)) throw UsageError("--" + name + " is not given");
        return given.at(name);
    }

    std::string text(const std::string &name, const std::string &otherwise) const {
        return has(name) ? given.at(name) : otherwise;
    }

    template <class T>
    T number(const std::string &name) const {
        T value{};
        if (!is_number(text(name), value)) throw UsageError("--" + name + " cannot be '" + text(name) + "'");
        return value;
    }

    template <class T>
    T number(const std::string &name, T otherwise) const {
        return has(name) ? number<T>(name) : otherwise;
    }

    // "1,5,9", or "@" and a file that lists them.
    template <class T = long long, class Cell = T>
    std::vector<Cell> numbers(const std::string &name) const {
        std::vector<Cell> found;
        const std::string all = listed(name);
        if (all.find_first_not_of(blanks) == std::string::npos) return found;
        std::istringstream parts(all + ",");
        for (std::string part; std::getline(parts, part, ',');) {
            std::istringstream words(part);
            std::string word;
            while (words >> word) {
                T value{};
                if (!is_number(word, value)) throw UsageError("--" + name + " cannot hold '" + word + "'");
                found.push_back(value);
            }
            if (word.empty()) throw UsageError("--" + name + " has nothing between two commas, or behind the last");
        }
        return found;
    }

private:
    std::vector<Option> own;
    std::map<std::string, std::string> given;

    // Those of the algorithm, and those of all programs.
    std::vector<Option> options() const {
        std::vector<Option> all = own;
        all.push_back({"--" + called("undirected"), "adds the other direction of every arc that lacks it"});
        all.push_back({"--" + called("out") + " FILE", "writes the results to a .npz or .csv file"});
        all.push_back({"--" + called("repeat") + " TIMES",
                       "runs so often, after once to warm up, and says how long that took"});
        all.push_back({"--" + called("device") + " NUMBER", "which device, by number; 0 is the first"});
        all.push_back({"--" + called("help"), "says this"});
        return all;
    }

    // What is given for an option; of "@" and a file, what the file has.
    std::string listed(const std::string &name) const {
        const std::string &value = text(name);
        if (value.rfind("@", 0) != 0) return value;
        std::ifstream file(value.substr(1));
        if (!file) throw std::runtime_error("--" + name + ": " + value.substr(1) + " cannot be read");
        return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }

    static constexpr const char *blanks = " \t\r\n\v\f";

    static bool is_number(const std::string &word, bool &value) {
        value = word == "true" || word == "True";
        return value || word == "false" || word == "False";
    }

    // Whether a whole word is a number of that type.
    template <class T>
    static bool is_number(const std::string &word, T &value) {
        if constexpr (std::is_floating_point_v<T>) {
            char *end = nullptr;
            value = static_cast<T>(std::strtod(word.c_str(), &end));
            const bool is_infinity = word == "INF" || word == "+INF" || word == "-INF";
            const bool is_decimal = !word.empty() && word.find_first_not_of("0123456789.eE+-") == std::string::npos;
            return (is_infinity || is_decimal) && *end == '\0';
        } else {
            const char *const first = word.c_str(), *const end = first + word.size();
            const auto [last, error] = std::from_chars(first, end, value);
            return error == std::errc() && last == end;
        }
    }
};

}  // namespace starplat

#endif
