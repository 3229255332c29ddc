package data

import (
	"context"
	"encoding/json"
	"time"

	"github.com/helve-dev/helve/internal/lib/csvtab"
	"github.com/helve-dev/helve/tool"
)

type generateCSVArgs struct {
	Data json.RawMessage `json:"data" alias:"rows,json" doc:"The rows: a JSON array of objects or of arrays, or the text of one."`
	csvtab.Options
}

var _ = tool.Add(Set, tool.Spec[generateCSVArgs, csvtab.Text]{
	Name: "generate_csv",
	Description: "Write rows, given as a JSON array of objects or arrays, as CSV and return the text, with values that a spreadsheet would " +
		"run as a formula made harmless by an apostrophe.",
	Tags:       []string{"csv generate", "create table", "export", "spreadsheet", "excel", "tsv"},
	Group:      "utilities",
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Timeout:    10 * time.Second,
	Errors:     []tool.Kind{},
	Example:    `{"data":"[{\"name\":\"Ada\",\"note\":\"first, of all\"},{\"name\":\"Grace\",\"born\":1906}]"}`,
	Run: func(_ context.Context, _ *tool.Call, args generateCSVArgs) (csvtab.Text, error) {
		return args.Write("data", args.Data)
	},
})
