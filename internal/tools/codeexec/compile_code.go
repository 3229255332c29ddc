package codeexec

import (
	"context"
	"regexp"
	"slices"
	"time"

	"github.com/helve-dev/helve/tool"
)

type compileCodeArgs struct {
	Code     string  `json:"code" min:"1" doc:"Source code, one file."`
	Language string  `json:"language" enum:"tsc,gcc,g++,rustc,go,javac,typescript,c,c++,cpp,rust,java" doc:"Compiler, or the language it is for."`
	Args     string  `json:"args,omitempty" doc:"More options for the compiler, such as -O2 -Wall."`
	Timeout  float64 `json:"timeout" default:"30000" doc:"Milliseconds it may take, at most 60000."`
}

type compiledCode struct {
	outcome

	Compiler string `json:"compiler"`
	FilePath string `json:"filePath" doc:"Name of the source in the compiler's messages."`
}

var _ = tool.Add(Set, tool.Spec[compileCodeArgs, *compiledCode]{
	Name: "compile_code",
	Description: "Compile one source file of C, C++, Rust, Go, Java or TypeScript in a throw-away container without running it, " +
		"to see whether it builds, and return the compiler's messages and exit code.",
	Tags:       []string{"compile", "build", "code", "program", "compiler", "type check", "gcc", "rustc", "javac", "tsc"},
	Risk:       tool.High,
	Mutates:    true,
	Idempotent: false,
	Scopes:     tool.Scopes{Apps: dockerApp},
	Verbatim:   []string{"code", "language", "args"},
	Needs:      tool.NeedContainers,
	Errors:     []tool.Kind{tool.NotConfigured, tool.ExecutionError},
	Example:    `{"code":"int main(void) { return 0; }","language":"gcc","args":"-Wall"}`,
	Timeout:    90 * time.Second,
	Check: func(ctx context.Context, call *tool.Call, args compileCodeArgs) error {
		if _, err := words("args", args.Args); err != nil {
			return err
		}
		return ready(ctx, call, args)
	},
	Run: compileCode,
})

var compiling = limit{usual: 30 * time.Second, longest: time.Minute}

// compiler describes how a source becomes a program.
type compiler struct {
	name, image, file string
	env               []string
	// command returns the compiler's command with the options args for a file.
	// Arguments of the linker follow the file.
	command func(file string, args []string) []string
}

func behind(program ...string) func(string, []string) []string {
	return func(file string, args []string) []string { return slices.Concat(program, []string{file}, args) }
}

func ahead(program ...string) func(string, []string) []string {
	return func(file string, args []string) []string { return slices.Concat(program, args, []string{file}) }
}

// compilerFor returns the compiler with that name, or for a language.
func compilerFor(name string) compiler {
	switch name {
	case "gcc", "c":
		return compiler{name: "gcc", image: "gcc", file: "main.c", command: behind("gcc", "-o", "program")}
	case "g++", "c++", "cpp":
		return compiler{name: "g++", image: "gcc", file: "main.cpp", command: behind("g++", "-o", "program")}
	case "rustc", "rust":
		return compiler{name: "rustc", image: "rust", file: "main.rs", command: behind("rustc", "--color=never")}
	case "go":
		offline := []string{"GOTOOLCHAIN=local", "GOPROXY=off", "GOFLAGS=-buildvcs=false", "CGO_ENABLED=0"}
		return compiler{name: "go", image: "go", file: "main.go", env: offline, command: ahead("go", "build", "-o", "program")}
	case "javac", "java":
		return compiler{name: "javac", image: "java", file: "Main.java", command: ahead("javac")}
	default:
		return compiler{name: "tsc", image: "typescript", file: "main.ts", command: ahead("tsc", "--pretty", "false")}
	}
}

// publicType returns the type that names a Java file.
var publicType = regexp.MustCompile(`(?m)^[ \t]*public\s+(?:(?:abstract|final|sealed|non-sealed|static|strictfp)\s+){0,4}(?:class|interface|enum|record|@interface)\s+([A-Za-z_$][A-Za-z0-9_$]{0,99})\b`)

func compileCode(ctx context.Context, call *tool.Call, args compileCodeArgs) (*compiledCode, error) {
	options, err := words("args", args.Args)
	if err != nil {
		return nil, err
	}
	with := compilerFor(args.Language)
	file := with.file
	if found := publicType.FindStringSubmatch(args.Code); with.name == "javac" && found != nil {
		file = found[1] + ".java"
	}
	o, err := compiling.contain(ctx, call, tool.Container{
		Image: with.image, Command: with.command(file, options), Env: with.env, Files: map[string][]byte{file: []byte(args.Code)},
	}, args.Timeout)
	return &compiledCode{o, with.name, file}, err
}
