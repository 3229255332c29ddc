package tsdecl

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Function is a function to declare. A name with dots is that of a function in a namespace;
// a name that is not made of letters, digits, _ and dots is not declared.
type Function struct {
	Name, Description string
	// Args and Result are JSON schemas; unknown is declared for anything else.
	Args, Result []byte
}

// Declare returns the declarations of the functions in the namespace tools. Each takes its
// arguments as an object and returns a promise. Declarations of several calls go together.
func Declare(functions ...Function) string {
	root := &namespace{}
	for _, f := range slices.SortedStableFunc(slices.Values(functions), func(a, b Function) int { return cmp.Compare(a.Name, b.Name) }) {
		if functionName.MatchString(f.Name) {
			root.add(strings.Split(f.Name, "."), f)
		}
	}
	var b strings.Builder
	root.write(&b, "declare namespace tools", "")
	return b.String()
}

var functionName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$`)

// namespace has the functions and namespaces inside it by their names.
type namespace struct {
	functions map[string]Function
	inside    map[string]*namespace
}

func (n *namespace) add(path []string, f Function) {
	if len(path) == 1 {
		if n.functions == nil {
			n.functions = map[string]Function{}
		}
		n.functions[path[0]] = f
		return
	}
	if n.inside == nil {
		n.inside = map[string]*namespace{}
	}
	next := n.inside[path[0]]
	if next == nil {
		next = &namespace{}
		n.inside[path[0]] = next
	}
	next.add(path[1:], f)
}

// write writes the namespace as one block, and another block for names that are words of the
// language: those are declared under another name and exported under their own. In a block
// that exports, nothing else is visible without an export.
func (n *namespace) write(b *strings.Builder, head, indent string) {
	names := slices.Sorted(maps.Keys(n.functions))
	for _, name := range slices.Sorted(maps.Keys(n.inside)) {
		if _, both := n.functions[name]; !both {
			names = append(names, name)
		}
	}
	for _, words := range []bool{false, true} {
		var block strings.Builder
		for _, name := range names {
			if reserved[name] == words {
				n.writeNamed(&block, name, indent+"  ")
			}
		}
		if block.Len() > 0 {
			b.WriteString(indent + head + " {\n" + block.String() + indent + "}\n")
		}
	}
}

// writeNamed writes what has a name: a function, a namespace, or both.
func (n *namespace) writeNamed(b *strings.Builder, name, indent string) {
	declared := name
	if reserved[name] {
		declared = "$" + name
	}
	if f, ok := n.functions[name]; ok {
		if text := comment(f.Description, mostDescription); text != "" {
			b.WriteString(indent + text + "\n")
		}
		b.WriteString(indent + "function " + declared + "(" + printerOf(f.Args).parameter(indent) + "): Promise<" +
			printerOf(f.Result).result(indent) + ">;\n")
	}
	if inside := n.inside[name]; inside != nil {
		inside.write(b, "namespace "+declared, indent)
	}
	if declared != name {
		b.WriteString(indent + "export { " + declared + " as " + name + " };\n")
	}
}

// reserved has the words that no function or namespace can be declared as.
var reserved = func() map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(`arguments await break case catch class const continue debugger default delete do else enum eval
		export extends false finally for function if implements import in instanceof interface let new null package private protected
		public return static super switch this throw true try typeof undefined var void while with yield`) {
		words[word] = true
	}
	return words
}()
