package dynamictools

import (
	"encoding/json"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// schemaText is a JSON Schema as models write it: a string or an object.
type schemaText string

// UnmarshalJSON stores the text of the schema. It stores other JSON types unchanged, so
// that the tool's check refuses them.
func (s *schemaText) UnmarshalJSON(written []byte) error {
	var inside string
	if json.Unmarshal(written, &inside) == nil {
		*s = schemaText(inside)
		return nil
	}
	*s = schemaText(written)
	return nil
}

// oneSchema refuses a schema that is given twice, or missing although required.
func oneSchema(parameters, inputSchema schemaText, required bool) error {
	switch {
	case parameters != "" && inputSchema != "":
		return tool.Fail(tool.ValidationError, "parameters and inputSchema are the same; give one of the two")
	case required && parameters == "" && inputSchema == "":
		return tool.Fail(tool.ValidationError,
			`missing required parameter 'parameters': the JSON Schema of the arguments, such as {"type":"object","properties":{}}`)
	}
	return nil
}

// unfenced removes a Markdown fence around code.
func unfenced(code string) string {
	text := strings.TrimSpace(code)
	if !strings.HasPrefix(text, "```") || !strings.HasSuffix(text, "```") || len(text) < len("``````") {
		return code
	}
	language, inside, ok := strings.Cut(strings.TrimSuffix(text[3:], "```"), "\n")
	if !ok || strings.ContainsAny(strings.TrimSpace(language), " `;(") || strings.Contains(inside, "\n```") {
		return code
	}
	return inside
}
