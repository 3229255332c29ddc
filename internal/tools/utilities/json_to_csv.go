package utilities

import (
	"context"
	"encoding/json"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/helve-dev/helve/tool"
)

type jsonToCSVArgs struct {
	JSON json.RawMessage `json:"json" doc:"The rows: a JSON array of objects or of arrays, or one object as the only row; or the text of that."`
	csvWriteOptions
}

var _ = tool.Add(Set, tool.Spec[jsonToCSVArgs, csvText]{
	Name:        "json_to_csv",
	Description: "Convert a JSON array of objects or arrays, or a single object, to CSV and return the text, to open it in a spreadsheet or to save it with write_file.",
	Tags:        []string{"json to csv", "convert json", "export", "spreadsheet"},
	Group:       "conversion",
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Timeout:     10 * time.Second,
	Errors:      []tool.Kind{},
	Example:     `{"json":"[{\"city\":\"Oslo\",\"degrees\":-5},{\"city\":\"Rome\",\"degrees\":18}]","delimiter":";"}`,
	Run: func(_ context.Context, _ *tool.Call, args jsonToCSVArgs) (csvText, error) {
		value, err := jsonArgument("json", args.JSON)
		if err != nil {
			return csvText{}, err
		}
		if value.Kind() == '{' {
			value = jsonJoined([]jsontext.Value{value})
		}
		return args.write("json", json.RawMessage(value))
	},
})
