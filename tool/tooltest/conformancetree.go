package tooltest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing/iotest"

	"github.com/helve-dev/helve/tool"
)

// tree creates a directory with a few files, one of them in a subdirectory.
func (c contract) tree(dir string) {
	c.Helper()
	if err := c.files.MkdirAll(dir + "/b/c"); err != nil {
		c.Fatal(err)
	}
	for _, name := range []string{"a", "b-", "b/c/x", "b/y", "z"} {
		c.put(dir+"/"+name, name)
	}
}

func (c contract) walking() {
	c.tree("walk")
	visited := func(name string, end error, at string) (all []string, err error) {
		err = c.files.Walk(name, func(p string, e tool.Entry, err error) error {
			all = append(all, p)
			if err != nil || e.Name() != p[strings.LastIndexByte(p, '/')+1:] {
				c.Errorf("Walk visits %s as %s, %v", p, e.Name(), err)
			}
			if p == at {
				return end
			}
			return nil
		})
		return all, err
	}
	broke := errors.New("the visitor broke")
	for _, tt := range []struct {
		at   string
		end  error
		want string
		err  error
	}{
		{"", nil, "walk/a walk/b walk/b/c walk/b/c/x walk/b/y walk/b- walk/z", nil},
		{"walk/b", fs.SkipDir, "walk/a walk/b walk/b- walk/z", nil},
		{"walk/b/c/x", fs.SkipDir, "walk/a walk/b walk/b/c walk/b/c/x walk/b/y walk/b- walk/z", nil},
		{"walk/a", fs.SkipDir, "walk/a", nil},
		{"walk/b/c/x", fs.SkipAll, "walk/a walk/b walk/b/c walk/b/c/x", nil},
		{"walk/b/c", broke, "walk/a walk/b walk/b/c", broke},
	} {
		got, err := visited("./walk/", tt.end, tt.at)
		if strings.Join(got, " ") != tt.want || !errors.Is(err, tt.err) {
			c.Errorf("Walk that ends at %q with %v = %q, %v, want %s, %v", tt.at, tt.end, got, err, tt.want, tt.err)
		}
	}
	if all, err := visited(".", nil, ""); err != nil || !slices.Contains(all, "walk/b/c/x") {
		c.Errorf("Walk of the workspace = %q, %v, want walk/b/c/x among it", all, err)
	}
	c.wantKind("Walk of a file", c.files.Walk("walk/a", nil), tool.ValidationError)
	c.wantMissing("Walk", c.files.Walk("no/where", nil), "no/where")
	c.wantKind("Walk out", c.files.Walk("..", nil), tool.PathNotAllowed)
}

func (c contract) entries() {
	c.tree("entries")
	err := c.files.Walk("entries", func(p string, e tool.Entry, err error) error {
		if err != nil {
			return err
		}
		f, err := e.Open()
		if e.IsDir() {
			c.wantKind("Open of the directory "+p, err, tool.ValidationError)
			return nil
		}
		if err != nil {
			return fmt.Errorf("Open of %s: %w", p, err)
		}
		text, err := io.ReadAll(f)
		if info, infoErr := e.Info(); infoErr != nil || info.Size() != int64(len(text)) || "entries/"+string(text) != p {
			c.Errorf("%s holds %q and its size is %v, %v", p, text, info, infoErr)
		}
		return errors.Join(err, f.Close())
	})
	if err != nil {
		c.Error(err)
	}
}

func (c contract) onlyOnce() {
	const mode = 0o644
	n, err := c.files.Create("once", mode, strings.NewReader("first"))
	if err != nil || n != 5 {
		c.Errorf("Create = %d, %v, want 5, nil", n, err)
	}
	if err := c.files.MkdirAll("once.d"); err != nil {
		c.Fatal(err)
	}
	for name, want := range map[string]tool.Kind{
		"once": tool.ValidationError, "once.d": tool.ValidationError, "once/x": tool.ValidationError, "once.d/": tool.ValidationError,
		"no/where": tool.FileNotFound, "../x": tool.PathNotAllowed, "": tool.ValidationError,
	} {
		_, err := c.files.Create(name, mode, strings.NewReader("second"))
		c.wantKind("Create("+name+")", err, want)
	}
	broken := io.MultiReader(strings.NewReader("half of it"), iotest.ErrReader(errors.New("the source broke")))
	if _, err := c.files.Create("broken", mode, broken); err == nil || !strings.Contains(err.Error(), "the source broke") {
		c.Errorf("Create from a failing reader: error %v, want the reader's", err)
	}
	_, err = c.files.Lstat("broken")
	c.wantKind("Lstat of what was not made", err, tool.FileNotFound)

	c.put("other", "other")
	for from, to := range map[string]string{"other": "once", "once": "once.d", "once.d": "other", "./once": "once"} {
		c.wantKind("Move of "+from+" to "+to, c.files.Move(from, to), tool.ValidationError)
	}
	c.wantText("once", "first")
	c.wantText("other", "other")
	if err := errors.Join(c.files.Move("once", "once.d/moved"), c.files.Move("once.d", "once")); err != nil {
		c.Errorf("Move: %v", err)
	}
	c.wantText("once/moved", "first")
	c.wantMissing("Move of nothing", c.files.Move("once.d", "x"), "once.d")
	c.wantMissing("Move to nowhere", c.files.Move("other", "no/where"), "no/where")
	c.wantKind("Move out", c.files.Move("other", "../other"), tool.PathNotAllowed)
	c.wantKind("Move in", c.files.Move("../other", "x"), tool.PathNotAllowed)
	c.wantKind("Move into itself", c.files.Move("once", "once/x"), tool.ValidationError)
	c.wantKind("Move of the workspace", c.files.Move(".", "x"), tool.ValidationError)
}

func (c contract) removing() {
	c.tree("gone")
	ended, cancel := context.WithCancel(c.Context())
	cancel()
	if n, err := c.files.RemoveAll(ended, "gone"); n != 0 || err == nil {
		c.Errorf("RemoveAll in a call that ended = %d, %v, want 0 and why", n, err)
	}
	c.wantText("gone/b/c/x", "b/c/x")
	if n, err := c.files.RemoveAll(c.Context(), "gone/a"); n != 1 || err != nil {
		c.Errorf("RemoveAll of a file = %d, %v, want 1, nil", n, err)
	}
	if n, err := c.files.RemoveAll(c.Context(), "gone/"); n != 7 || err != nil {
		c.Errorf("RemoveAll = %d, %v, want 7, nil", n, err)
	}
	for name, want := range map[string]tool.Kind{
		"gone": tool.FileNotFound, "..": tool.PathNotAllowed, "/": tool.PathNotAllowed, ".": tool.ValidationError, "": tool.ValidationError,
	} {
		_, err := c.files.RemoveAll(c.Context(), name)
		c.wantKind("RemoveAll("+name+")", err, want)
	}
}

func (c contract) describing() {
	c.put("known", "12345")
	if info, err := c.files.Lstat("known"); err != nil || info.Size() != 5 || info.IsDir() {
		c.Errorf("Lstat = %v, %v, want 5 bytes", info, err)
	}
	if info, err := c.files.Lstat("."); err != nil || !info.IsDir() {
		c.Errorf("Lstat(.) = %v, %v, want a directory", info, err)
	}
	for _, name := range []string{"known", "."} {
		if _, _, err := c.files.Times(name); err != nil {
			c.Errorf("Times(%s): %v", name, err)
		}
	}
	_, err := c.files.Lstat("no/where")
	c.wantMissing("Lstat", err, "no/where")
	_, _, err = c.files.Times("no/where")
	c.wantMissing("Times", err, "no/where")
	_, _, err = c.files.Times("/etc/passwd")
	c.wantKind("Times outside", err, tool.PathNotAllowed)
}
