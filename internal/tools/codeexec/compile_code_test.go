package codeexec

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/ports/docker"
	"github.com/helve-dev/helve/internal/ports/docker/dockertest"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestCompileCode(t *testing.T) {
	failures(t, "compile_code", `{"code":"int main(void){return 0;}","language":"c"}`)
}

func TestCompileCodeOnDocker(t *testing.T) {
	tooltest.Run(t, Set, "compile_code", genuine(t), []tooltest.Case{
		{Name: "builds",
			Args: `{"code":"#include <math.h>\nint main(int c, char **v){return sqrt(c) > 2;}","language":"gcc","args":"-Wall '-O1' -lm"}`,
			Want: `{"stdout":"","stderr":"","exitCode":0,"compiler":"gcc","filePath":"main.c","sandboxed":true,"executionMode":"docker","dockerImage":"helve-test","relaxedSecurity":false}`},
		{Name: "does not build", Args: `{"code":"int main(void){return x;}","language":"c"}`, Check: func(t *testing.T, res tool.Result) {
			if text := string(res.Value); !strings.Contains(text, `"exitCode":1`) || !strings.Contains(text, "main.c:1") ||
				!strings.Contains(text, "undeclared") {
				t.Errorf("result %s, want the compiler's complaint", text)
			}
		}},
		{Name: "warns", Args: `{"code":"int main(void){int x; return 0;}","language":"gcc","args":"-Wall"}`,
			Check: func(t *testing.T, res tool.Result) {
				if text := string(res.Value); !strings.Contains(text, `"exitCode":0`) || !strings.Contains(text, "unused variable") {
					t.Errorf("result %s, want a warning", text)
				}
			}},
	})
}

func TestCompileCodeRefuses(t *testing.T) {
	tooltest.Run(t, Set, "compile_code", tool.Call{Containers: &record{}}, []tooltest.Case{
		{Name: "language", Args: `{"code":"x","language":"cobol"}`, Fails: tool.ValidationError, Message: "rustc"},
		{Name: "no language", Args: `{"code":"x"}`, Fails: tool.ValidationError, Message: "language"},
		{Name: "no code", Args: `{"language":"go"}`, Fails: tool.ValidationError, Message: "code"},
		{
			Name:    "quote",
			Args:    `{"code":"x","language":"gcc","args":"-D'x"}`,
			Fails:   tool.ValidationError,
			Message: "A quote in args is not closed.",
		},
		{
			Name:    "many",
			Args:    `{"code":"x","language":"gcc","args":"` + strings.Repeat("-g ", 101) + `"}`,
			Fails:   tool.ValidationError,
			Message: "at most 100",
		},
	})
	tooltest.Run(t, Set, "compile_code", on(t, &dockertest.Engine{}, docker.Options{}), []tooltest.Case{
		{
			Name:    "TypeScript is not in any image",
			Args:    `{"code":"let x: number = 1","language":"tsc"}`,
			Fails:   tool.NotConfigured,
			Message: "configured for typescript",
		},
	})
}

// Each compiler gets the right arguments and file.
func TestCompilers(t *testing.T) {
	for language, want := range map[string]struct{ image, file, command string }{
		"gcc":        {"gcc", "main.c", "gcc -o program main.c -a b c;$d"},
		"c":          {"gcc", "main.c", "gcc -o program main.c -a b c;$d"},
		"g++":        {"gcc", "main.cpp", "g++ -o program main.cpp -a b c;$d"},
		"c++":        {"gcc", "main.cpp", "g++ -o program main.cpp -a b c;$d"},
		"cpp":        {"gcc", "main.cpp", "g++ -o program main.cpp -a b c;$d"},
		"rustc":      {"rust", "main.rs", "rustc --color=never main.rs -a b c;$d"},
		"rust":       {"rust", "main.rs", "rustc --color=never main.rs -a b c;$d"},
		"go":         {"go", "main.go", "go build -o program -a b c;$d main.go"},
		"javac":      {"java", "Main.java", "javac -a b c;$d Main.java"},
		"java":       {"java", "Main.java", "javac -a b c;$d Main.java"},
		"tsc":        {"typescript", "main.ts", "tsc --pretty false -a b c;$d main.ts"},
		"typescript": {"typescript", "main.ts", "tsc --pretty false -a b c;$d main.ts"},
	} {
		r := &record{}
		args := `{"code":"source","language":"` + language + `","args":"-a 'b c;$d'"}`
		tooltest.Run(t, Set, "compile_code", tool.Call{Containers: r},
			[]tooltest.Case{{Name: language, Args: args, Check: func(t *testing.T, _ tool.Result) {
				got := []string{r.asked.Image, strings.Join(r.asked.Command, " "), string(r.asked.Files[want.file])}
				if diff := cmp.Diff([]string{want.image, want.command, "source"}, got); diff != "" || !slices.Contains(r.asked.Command, "b c;$d") {
					t.Errorf("%s (-want +got):\n%s", language, diff)
				}
				if r.asked.Network || r.asked.Workspace {
					t.Errorf("%s has network %v, workspace %v, want neither", language, r.asked.Network, r.asked.Workspace)
				}
			}}})
	}
}

func TestJavaFileName(t *testing.T) {
	for code, want := range map[string]string{
		"class A {}":            "Main.java",
		"public class Hello {}": "Hello.java",
		"import x;\n\npublic final  class\n Hello2<T> {}":      "Hello2.java",
		"public sealed abstract interface Shape permits A {}":  "Shape.java",
		"public record P(int x) {}\nclass Q {}":                "P.java",
		"class Outer { /* public class Inner */ }":             "Main.java",
		"public class " + strings.Repeat("A", 5000) + " {}":    "Main.java",
		"// public class Wrong\npublic enum Right { A }":       "Right.java",
		"public class ../../x {}":                              "Main.java",
		"public @interface Note {}":                            "Note.java",
		"public static void main(String[] a) {}\nclass B {}":   "Main.java",
		"public strictfp abstract final static sealed class X": "Main.java",
	} {
		r := &record{}
		if _, err := compileCode(t.Context(), &tool.Call{Containers: r}, compileCodeArgs{Code: code, Language: "java"}); err != nil {
			t.Fatal(err)
		}
		if got := slices.Collect(maps.Keys(r.asked.Files)); !slices.Equal(got, []string{want}) {
			t.Errorf("%.60q is in %q, want %s", code, got, want)
		}
	}
}

// Each compiler accepts its arguments, and the program runs only in the container.
func TestCompilersOnDocker(t *testing.T) {
	call := genuine(t)
	for language, code := range map[string]string{
		"gcc":   "#include <stdio.h>\nint main(void){ puts(\"1\"); return 0; }",
		"g++":   "#include <string>\nint main(){ return std::string(\"a\").size() == 2; }",
		"rustc": "fn main() { let v: Vec<i32> = Vec::new(); println!(\"{}\", v.len()); }",
		"go":    "package main\n\nfunc main() { println(1) }\n",
		"javac": "public class Hello { public static void main(String[] a) { System.out.println(1); } }",
		"tsc":   "const x: number = 1; console.log(x);",
	} {
		for source, exit := range map[string]int{code: 0, "this is not source": 1} {
			res, err := compileCode(t.Context(), &call, compileCodeArgs{Code: source, Language: language, Timeout: 60_000})
			if err != nil || (res.ExitCode == 0) != (exit == 0) || exit != 0 && !strings.Contains(res.Stdout+res.Stderr, res.FilePath) {
				t.Errorf("%s of %q: %+v, %v, want exit %d", language, source, res, err, exit)
			}
		}
	}
}
