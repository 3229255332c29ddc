package data

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/lib/csvtab"
	"github.com/helve-dev/helve/tool"
)

type csvToJSONArgs struct {
	CSV string `json:"csv,omitempty" doc:"The text to convert, unless path names a file."`
	csvtab.Source
	ConvertTypes bool `json:"convertTypes" default:"true" doc:"Make numbers, true, false and null (of empty values) of values; numbers with leading zeros stay strings."`
}

var _ = tool.Add(Set, tool.Spec[csvToJSONArgs, *csvtab.Table]{
	Name: "csv_to_json",
	Description: "Convert CSV, given as text or as a workspace file, to JSON and return a list of objects whose numbers and booleans are " +
		"JSON's own; use parse_csv to keep every value a string.",
	Tags:       []string{"csv to json", "convert csv", "table to objects", "import", "tsv"},
	Group:      "conversion",
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Scopes:     tool.Scopes{Paths: []string{"workspace"}},
	Needs:      tool.NeedFiles,
	Timeout:    30 * time.Second,
	Errors:     []tool.Kind{tool.PathNotAllowed, tool.FileNotFound, tool.FileTooLarge},
	Example:    `{"path":"report.csv"}`,
	Run: func(ctx context.Context, call *tool.Call, args csvToJSONArgs) (*csvtab.Table, error) {
		return args.Table(ctx, call, args.CSV, args.ConvertTypes)
	},
})
