package data

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/lib/csvtab"
	"github.com/helve-dev/helve/tool"
)

type parseCSVArgs struct {
	CSV string `json:"csv,omitempty" doc:"The text to read, unless path names a file."`
	csvtab.Source
}

var _ = tool.Add(Set, tool.Spec[parseCSVArgs, *csvtab.Table]{
	Name: "parse_csv",
	Description: "Read CSV or other delimited text, given as csv or as a workspace file, and return its headers and its rows as objects of " +
		"strings, with the number of rows and columns.",
	Tags:       []string{"csv parse", "table", "excel", "read data", "tsv", "spreadsheet", "delimited"},
	Group:      "utilities",
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Scopes:     tool.Scopes{Paths: []string{"workspace"}},
	Needs:      tool.NeedFiles,
	Timeout:    30 * time.Second,
	Errors:     []tool.Kind{tool.PathNotAllowed, tool.FileNotFound, tool.FileTooLarge},
	Example:    `{"csv":"name,city\nAda,London\n\"Lovelace, A.\",\"Ockham\""}`,
	Run: func(ctx context.Context, call *tool.Call, args parseCSVArgs) (*csvtab.Table, error) {
		return args.Table(ctx, call, args.CSV, false)
	},
})
