package tools

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
)

// alike groups parameters with the same meaning, by the name that one of the tools must
// have. A tool with one of them accepts the others, too.
var alike = []struct {
	tools []string
	names []string
}{
	{[]string{"copy_file", "move_file", "files.move_glob"}, []string{"source", "from"}},
	{[]string{"copy_file", "move_file", "files.move_glob"}, []string{"destination", "to"}},
	{[]string{"list_directory", "list_files", "files.list_dir", "files.search", "search_files"}, []string{"limit", "maxResults"}},
	{[]string{"list_directory", "list_files", "files.list_dir", "search_files"}, []string{"pattern", "filePattern"}},
	{[]string{"write_file", "files.write_text"}, []string{"content", "text"}},
	{[]string{"create_pdf", "download_file"}, []string{"outputPath", "path"}},
	{[]string{"resize_image", "analyze_image", "edit_image", "image_variation"}, []string{"image", "path"}},
	{[]string{"speech_to_text", "translate_audio"}, []string{"audio", "source", "path"}},
	{[]string{"generate_image", "text_to_speech"}, []string{"outputPath", "path"}},
	{[]string{"sort_list", "deduplicate", "array_operations", "random_choice"}, []string{"items", "array"}},
	{[]string{"random_choice"}, []string{"choices", "items"}},
	{[]string{"generate_csv", "json_to_csv", "create_table"}, []string{"data", "rows", "json"}},
	{[]string{"convert_units", "convert_currency"}, []string{"value", "amount"}},
	{[]string{"count_words", "text_stats"}, []string{"topWords", "top"}},
	{[]string{"search_replace"}, []string{"replacement", "replace"}},
	{[]string{"validate", "validate_email", "validate_url"}, []string{"value"}},
	{[]string{"get_tool_help", "use_tool"}, []string{"tool_name"}},
	{
		[]string{"get_custom_tool", "update_custom_tool", "toggle_custom_tool", "delete_custom_tool", "get_tool_help"},
		[]string{"name", "tool_name"},
	},
}

func TestParametersOfOneMeaning(t *testing.T) {
	takes := map[string][]string{}
	for _, tl := range every() {
		var schema struct {
			Properties map[string]json.RawMessage `json:"properties"`
		}
		if err := json.Unmarshal(tl.Parameters, &schema); err != nil {
			t.Fatal(err)
		}
		takes[tl.Name] = slices.Concat(slices.Collect(maps.Keys(schema.Properties)), slices.Collect(maps.Keys(tl.ParameterAliases)))
	}
	for _, group := range alike {
		for _, tl := range group.tools {
			for _, name := range group.names {
				if !slices.Contains(takes[tl], name) {
					t.Errorf("%s does not take %s, but another tool calls the same so", tl, name)
				}
			}
		}
	}
}
