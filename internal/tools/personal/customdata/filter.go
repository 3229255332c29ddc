package customdata

import (
	"bytes"
	"encoding/json"

	"github.com/helve-dev/helve/tool"
)

// filter returns the conditions of a filter: an object of columns and the values that
// records must have in all of them. Null stands for no value.
func (t *stored) filter(given tool.Object) ([]tool.Condition, error) {
	if len(bytes.TrimSpace(given)) == 0 || string(bytes.TrimSpace(given)) == "null" {
		return nil, nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(given, &members); err != nil {
		return nil, tool.Fail(tool.ValidationError,
			`filter must be an object of columns and the values that they must have, such as {"status":"read"}`)
	}
	for name := range members {
		if c := t.column(name); c != nil && !c.indexable() {
			return nil, tool.Fail(tool.ValidationError,
				"filter: %s is a json column, which cannot be filtered; search_custom_records finds words in it", c.Name)
		}
	}
	v, err := t.given("filter", given)
	if err != nil {
		return nil, err
	}
	var list []tool.Condition
	for i := range t.Columns {
		c := &t.Columns[i]
		if raw, ok := v[c.Number]; ok {
			list = append(list, c.condition(raw)...)
		}
	}
	return list, nil
}
