package data

import (
	"context"
	"encoding/json"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/helve-dev/helve/internal/lib/csvtab"
	"github.com/helve-dev/helve/internal/lib/jsonvalue"
	"github.com/helve-dev/helve/internal/lib/jsonwalk"
	"github.com/helve-dev/helve/tool"
)

type jsonToCSVArgs struct {
	Data json.RawMessage `json:"data" alias:"json,rows" doc:"The rows: a JSON array of objects or of arrays, or one object as the only row; or the text of that."`
	csvtab.Options
}

var _ = tool.Add(Set, tool.Spec[jsonToCSVArgs, csvtab.Text]{
	Name: "json_to_csv",
	Description: "Convert a JSON array of objects or arrays, or a single object, to CSV and return the text, to open it in a spreadsheet or " +
		"to save it with write_file.",
	Tags:       []string{"json to csv", "convert json", "export", "spreadsheet"},
	Group:      "conversion",
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Timeout:    10 * time.Second,
	Errors:     []tool.Kind{},
	Example:    `{"data":"[{\"city\":\"Oslo\",\"degrees\":-5},{\"city\":\"Rome\",\"degrees\":18}]","delimiter":";"}`,
	Run: func(_ context.Context, _ *tool.Call, args jsonToCSVArgs) (csvtab.Text, error) {
		value, err := jsonvalue.Argument("json", args.Data)
		if err != nil {
			return csvtab.Text{}, err
		}
		if value.Kind() == '{' {
			value = jsonwalk.Join([]jsontext.Value{value})
		}
		return args.Write("json", json.RawMessage(value))
	},
})
