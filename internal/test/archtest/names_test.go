package archtest

import (
	"fmt"
	"go/ast"
	"testing"
)

// private lists names of functions, methods and types that no standard term of the field is, each
// with what to write.
var private = map[string]string{
	"deaf":        "a name for what does not answer, such as unanswered",
	"askAnew":     "requestAgain",
	"crew":        "workers",
	"crewed":      "workers",
	"alike":       "similar",
	"sit":         "takePlace",
	"seats":       "places",
	"hurried":     "a name for the deadline",
	"shelf":       "a name for what is stored there",
	"unread":      "a name that ends in Error, or unreadable",
	"unended":     "a name that ends in Error",
	"unindexed":   "a name that ends in Error",
	"unconfirmed": "a name that ends in Error",
	"unpromised":  "a name that ends in Error",
	"unaccept":    "release",
	"unbound":     "a name that ends in Error",
	"failed":      "a name that ends in Error or Result",
	"time":        "a verb and a noun",
}

// TestNames: functions, methods and types have names that a reader from outside knows. Fields, local
// variables and constants of a set of states are free.
func TestNames(t *testing.T) {
	var broken []string
	for _, s := range sources(t) {
		broken = append(broken, privateNames(s)...)
	}
	report(t, broken)
	for text, want := range map[string]int{
		"func failed() {}": 1, "type crew struct{}": 1, "func (x X) time() {}": 1, "var failed = 1": 0, "type x struct{ failed bool }": 0,
	} {
		if got := privateNames(parse(t, "a/x.go", "package a\n\n"+text+"\n")); len(got) != want {
			t.Errorf("privateNames(%q) = %q, want %d findings", text, got, want)
		}
	}
}

func privateNames(s source) (broken []string) {
	check := func(name *ast.Ident) {
		if better := private[name.Name]; better != "" {
			broken = append(broken, fmt.Sprintf("%s: the name %s: write %s", s.at(name), name.Name, better))
		}
	}
	for _, d := range s.File.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			check(d.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if ts, ok := spec.(*ast.TypeSpec); ok {
					check(ts.Name)
				}
			}
		}
	}
	return broken
}
