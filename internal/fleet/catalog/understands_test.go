package catalog

import (
	"testing"

	"github.com/helve-dev/helve/tool"
)

// TestSearchFindsNothing: a request none of whose words is known has no nearest tools,
// although some word is always spelled a little like another.
func TestSearchFindsNothing(t *testing.T) {
	weather := def("get_weather", "utilities")
	weather.Description = "Get the weather of a place today."
	v := view(filled(t, weather))
	for query, want := range map[string]int{"knit a sweater": 0, "teleport": 0, "what is the wether": 1, "weather in Ljubljana": 1} {
		found := v.Search(nil, "", tool.Search{Query: query, Limit: 5})
		if found.Total != want {
			t.Errorf("%q finds %d tools, want %d", query, found.Total, want)
		}
	}
}
