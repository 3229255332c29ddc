package main

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/x/docsection"
)

var update = flag.Bool("update", false, "write the commands of docs/cli.md")

// TestCommandPage compares the commands and flags in docs/cli.md with those of the program.
func TestCommandPage(t *testing.T) {
	root := cli.Root(commands(nil)...)
	var b strings.Builder
	b.WriteString("## Flags of every command\n\n")
	flagRows(&b, root.PersistentFlags())
	describe(&b, root)
	if err := docsection.Sync("../../docs/cli.md", "commands", strings.TrimSpace(b.String()), *update); err != nil {
		t.Error(err)
	}
}

// describe writes the commands below one, in the order of help.
func describe(b *strings.Builder, parent *cobra.Command) {
	for _, c := range parent.Commands() {
		if !c.IsAvailableCommand() || c.Name() == "completion" || c.Name() == "help" {
			continue
		}
		heading := "##"
		if parent.HasParent() {
			heading = "###"
		}
		fmt.Fprintf(b, "\n%s helve %s\n\n", heading, strings.TrimPrefix(c.CommandPath(), "helve "))
		if c.Runnable() {
			fmt.Fprintf(b, "`%s`\n\n", strings.TrimSuffix(c.UseLine(), " [flags]"))
		}
		fmt.Fprintf(b, "%s.\n", cell(strings.TrimSuffix(c.Short, ".")))
		if c.HasAvailableLocalFlags() {
			b.WriteString("\n")
			flagRows(b, c.LocalFlags())
		}
		describe(b, c)
	}
}

func flagRows(b *strings.Builder, set *pflag.FlagSet) {
	b.WriteString("| Flag | Meaning |\n|---|---|\n")
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" || f.Name == "version" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		fmt.Fprintf(b, "| `--%s` | %s |\n", strings.TrimSpace(f.Name+" "+value), cell(usage))
	})
}

// cell returns a text as a cell of a table has it.
func cell(text string) string {
	return strings.NewReplacer("|", "\\|", "<", "\\<", "*", "\\*", "\n", " ").Replace(text)
}
