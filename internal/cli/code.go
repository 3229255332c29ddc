package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// codeArguments are the arguments of tools that contain a program.
var codeArguments = []string{"code", "script"}

// printCode prints a program with its line numbers.
func printCode(w io.Writer, code string) error {
	lines := strings.Split(strings.TrimRight(code, "\n"), "\n")
	width := len(strconv.Itoa(len(lines)))
	for i, line := range lines {
		if _, err := fmt.Fprintf(w, "%*d | %s\n", width, i+1, line); err != nil {
			return err
		}
	}
	return nil
}

// codeOf returns the programs among the arguments of a preview, by name, and the other
// lines of its text.
func codeOf(arguments json.RawMessage, text string) (programs map[string]string, rest string) {
	var members map[string]json.RawMessage
	if json.Unmarshal(arguments, &members) != nil {
		return nil, text
	}
	programs = map[string]string{}
	for _, name := range codeArguments {
		var value string
		if json.Unmarshal(members[name], &value) == nil && value != "" {
			programs[name] = unescaped(value)
		}
	}
	lines := slices.DeleteFunc(strings.SplitAfter(text, "\n"), func(line string) bool {
		name, _, _ := strings.Cut(line, ": ")
		return programs[name] != ""
	})
	return programs, strings.Join(lines, "")
}

// unescaped returns the text that a preview shows with escapes. An invisible character
// keeps its name: <U+202E>.
func unescaped(shown string) string {
	var out strings.Builder
	for i := 0; i < len(shown); i++ {
		if shown[i] != '\\' || i+1 == len(shown) {
			out.WriteByte(shown[i])
			continue
		}
		i++
		switch c := shown[i]; {
		case c == 'n':
			out.WriteByte('\n')
		case c == 'r':
		case c == 't':
			out.WriteByte('\t')
		case c == 'u' && i+4 < len(shown):
			out.WriteString("<U+" + strings.ToUpper(shown[i+1:i+5]) + ">")
			i += 4
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}
