package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/toolbox/js/manifest"
)

// scaffold holds a tool to begin with, of either kind.
//
//go:embed jsnew
var scaffold embed.FS

// scaffoldEnds lists the file endings of a tool.
var scaffoldEnds = []string{".js", ".json", ".test.json"}

func jsNewCommand() *cobra.Command {
	var group, lasting bool
	var dir string
	cmd := &cobra.Command{
		Use:     "new NAME",
		Short:   "Write the files of a new tool: NAME.js, NAME.json and NAME.test.json",
		Example: "  helve js new word_count --dir tools",
		Args:    cobra.ExactArgs(1),
	}
	cmd.Flags().BoolVar(&group, "group", false, "several tools in one file, which share code")
	cmd.Flags().BoolVar(&lasting, "durable", false, "a program: it calls tools, waits for people and times, and survives crashes")
	cmd.Flags().StringVar(&dir, "dir", ".", "write into `DIR`, which is created if missing")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		name, kind, longest := args[0], "single", args[0]
		switch {
		case group && lasting:
			return cli.Usage("--group and --durable cannot be combined; a durable tool has a file of its own")
		case group:
			kind, longest = "group", name+"_longest"
		case lasting:
			kind = "durable"
		}
		if err := errors.Join(manifest.CheckName(name), manifest.CheckName(longest)); err != nil {
			return cli.Usage("%w", manifest.CheckName(longest))
		}
		written, err := writeScaffold(kind, name, dir)
		if err != nil {
			return err
		}
		for _, path := range written {
			fmt.Fprintln(cmd.OutOrStdout(), path)
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "next: helve js test %s\n", dir)
		return nil
	}
	return cmd
}

// writeScaffold writes all files of a tool, or none if one of them exists.
func writeScaffold(kind, name, dir string) (written []string, err error) {
	for _, end := range scaffoldEnds {
		path := filepath.Join(dir, name+end)
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s exists already; nothing was written", path)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			for _, path := range written {
				_ = os.Remove(path) // a part of a tool is useless
			}
		}
	}()
	for _, end := range scaffoldEnds {
		text, err := scaffold.ReadFile("jsnew/" + kind + end)
		if err != nil {
			return written, err
		}
		path := filepath.Join(dir, name+end)
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return written, err
		}
		written = append(written, path)
		_, err = f.WriteString(strings.ReplaceAll(string(text), "__NAME__", name))
		if err := errors.Join(err, f.Close()); err != nil {
			return written, err
		}
	}
	return written, nil
}
