package vectorsearch

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestCreateVectorCollection(t *testing.T) {
	call := ann(t)
	got := play[createResult](t, call, "create_vector_collection",
		`{"name":" Rezepte 🍞 ","dimensions":3,"metric":"euclidean","metadata":{"a":1}}`)
	if got.Name != "Rezepte 🍞" || got.Dimensions != 3 || got.Metric != "euclidean" || string(got.Metadata) != `{"a":1}` ||
		got.CreatedAt == "" || got.Message != `Collection "Rezepte 🍞" created.` {
		t.Errorf("result %+v", got)
	}
	if got := play[createResult](t, call, "create_vector_collection", `{"name":"c"}`); got.Metric != "cosine" || got.Dimensions != 0 ||
		got.Metadata != nil {
		t.Errorf("defaults: %+v", got)
	}
	tooltest.Run(t, Set, "create_vector_collection", call, []tooltest.Case{
		{
			Name:    "again",
			Args:    `{"name":"c"}`,
			Fails:   tool.ValidationError,
			Message: `there is a collection "c", of 0 dimensions and the metric cosine`,
		},
		{Name: "no name", Args: `{}`, Fails: tool.ValidationError, Message: "name"},
		{Name: "blank", Args: `{"name":"  "}`, Fails: tool.ValidationError, Message: "name is missing or blank"},
		{Name: "long", Args: `{"name":"` + strings.Repeat("x", 201) + `"}`, Fails: tool.ValidationError, Message: "name"},
		{Name: "NUL", Args: `{"name":"a\u0000b"}`, Fails: tool.ValidationError, Message: "NUL"},
		{Name: "0 dimensions", Args: `{"name":"x","dimensions":0}`, Fails: tool.ValidationError, Message: "1 to 16000"},
		{Name: "too many", Args: `{"name":"x","dimensions":16001}`, Fails: tool.ValidationError, Message: "1 to 16000"},
		{Name: "negative", Args: `{"name":"x","dimensions":-1}`, Fails: tool.ValidationError, Message: "1 to 16000"},
		{Name: "metric", Args: `{"name":"x","metric":"manhattan"}`, Fails: tool.ValidationError, Message: "metric"},
	})
	call.User = "bob"
	if got := play[createResult](t, call, "create_vector_collection", `{"name":"c"}`); got.Name != "c" {
		t.Errorf("another person's name: %+v", got)
	}
}
