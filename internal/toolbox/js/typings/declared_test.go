package typings

import (
	"regexp"
	"strings"
	"testing"
)

// sections are the headings of the declarations: who has what follows.
var sections = map[string]string{
	"// What every tool has.":                      "both",
	"// What only operators' tools have":           "operator",
	"// What only dynamic tools have":              "dynamic",
	"// What Helve gives to scripts beside the la": "",
}

// name is something that a script finds: a global, or a member by its path, such
// as "crypto.subtle.digest". "URL#href" belongs to the objects of a class.
type name struct{ section, path, kind string }

var (
	global  = regexp.MustCompile(`^(?:declare (const|function|class)|(interface)) (\w+)`)
	member  = regexp.MustCompile(`^ +(static )?(?:readonly )?(\[Symbol\.iterator\]|\w+)\??(?:<.*?>)?([(:]) ?(.*)$`)
	comment = regexp.MustCompile(`(?s)/\*.*?\*/`)
)

// declared reads the declarations: one name on a line, members indented.
func declared(t *testing.T, text string) []name {
	t.Helper()
	var all []name
	var around []string // what each open brace belongs to
	section := ""
	for line := range strings.Lines(comment.ReplaceAllString(text, "")) {
		line = strings.TrimRight(line, "\n")
		for heading, s := range sections {
			if strings.HasPrefix(line, heading) {
				section = s
			}
		}
		if strings.HasPrefix(strings.TrimSpace(line), "//") {
			continue
		}
		path := ""
		if m := global.FindStringSubmatch(line); m != nil && len(around) == 0 {
			path = m[3]
			switch {
			case m[1] == "const":
				all = append(all, name{section, path, "object"})
			case m[1] != "":
				all = append(all, name{section, path, "function"})
			}
			if m[1] == "class" || m[2] != "" {
				path += "#"
			}
		} else if m := member.FindStringSubmatch(line); m != nil && len(around) > 0 && m[2] != "constructor" {
			path = inside(around[len(around)-1], m[2], m[1] != "")
			all = append(all, name{section, path, kindOf(m[3], m[4])})
		}
		switch open, closed := strings.Count(line, "{"), strings.Count(line, "}"); {
		case open > closed:
			around = append(around, path)
		case open < closed && len(around) > 0:
			around = around[:len(around)-1]
		case open < closed:
			t.Fatalf("nothing is open that %q could close", line)
		}
	}
	if len(around) > 0 {
		t.Fatalf("%v are not closed", around)
	}
	return all
}

func inside(holder, member string, static bool) string {
	class, isClass := strings.CutSuffix(holder, "#")
	if isClass && !static {
		return class + "#" + member
	}
	return class + "." + member
}

// kindOf returns the typeof of a member, given the text after its name.
func kindOf(mark, rest string) string {
	if mark == "(" {
		return "function"
	}
	switch rest = strings.TrimSuffix(rest, ";"); rest {
	case "string", "number", "boolean":
		return rest
	}
	return "object"
}

func TestDeclared(t *testing.T) {
	t.Parallel()
	got := declared(t, `// What every tool has.
declare const a: {
  /** Says { hello. */
  say(x: string): { y: number };
  readonly deep: {
    dig<T>(at: T): T;
  };
};
// What only dynamic tools have: these.
declare class B implements C {
  constructor(x: string);
  static make(): B;
  size: number;
  [Symbol.iterator](): D;
}
declare function f(g: () => void): void;
interface Response {
  readonly ok: boolean;
}
`)
	want := []name{
		{"both", "a", "object"},
		{"both", "a.say", "function"},
		{"both", "a.deep", "object"},
		{"both", "a.deep.dig", "function"},
		{"dynamic", "B", "function"},
		{"dynamic", "B.make", "function"},
		{"dynamic", "B#size", "number"},
		{"dynamic", "B#[Symbol.iterator]", "function"},
		{"dynamic", "f", "function"},
		{"dynamic", "Response#ok", "boolean"},
	}
	if len(got) != len(want) {
		t.Fatalf("declared = %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("declared[%d] = %v, want %v", i, got[i], want[i])
		}
	}
}
