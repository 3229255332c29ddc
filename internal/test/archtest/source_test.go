package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const (
	module = "github.com/helve-dev/helve"
	root   = "../../.."
)

// source is one Go file of the module.
type source struct {
	Path      string // slash-separated, from the module root
	Dir       string // "." for the root itself
	Lines     int
	Test      bool
	Generated bool
	File      *ast.File
	fset      *token.FileSet
}

// at returns the place of a node in the form file:line.
func (s source) at(n ast.Node) string {
	return s.Path + ":" + strconv.Itoa(s.fset.Position(n.Pos()).Line)
}

// sources reads every Go file of the module and no file of another module.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != root && skipped(file):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(file) != ".go":
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		all = append(all, parse(t, filepath.ToSlash(rel), string(text)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// skipped reports whether the go command skips a directory.
func skipped(dir string) bool {
	name := filepath.Base(dir)
	if name == "testdata" || name == "vendor" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
		return true
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// parse builds a source from text; the unit tests use it for their examples.
func parse(t *testing.T, name, text string) source {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return source{
		Path:      name,
		Dir:       path.Dir(name),
		Lines:     strings.Count(text, "\n"),
		Test:      strings.HasSuffix(name, "_test.go"),
		Generated: ast.IsGenerated(file),
		File:      file,
		fset:      fset,
	}
}

// under reports whether dir is tree or lies below it.
func under(dir, tree string) bool {
	return dir == tree || strings.HasPrefix(dir, tree+"/")
}

func importPath(spec *ast.ImportSpec) string {
	return strings.Trim(spec.Path.Value, "`\"")
}

// imports maps the name a file uses for each import to its path.
func imports(f *ast.File) map[string]string {
	names := map[string]string{}
	for _, spec := range f.Imports {
		p := importPath(spec)
		name := path.Base(p)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = p
	}
	return names
}

// qualified resolves pkg.Name to the import path and the name; ok is false for any
// other expression, including a method call.
func qualified(e ast.Expr, names map[string]string) (pkg, name string, ok bool) {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return "", "", false
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return "", "", false
	}
	pkg, ok = names[id.Name]
	return pkg, sel.Sel.Name, ok
}

// report fails t once for each broken rule.
func report(t *testing.T, broken []string) {
	t.Helper()
	for _, b := range broken {
		t.Error(b)
	}
}
