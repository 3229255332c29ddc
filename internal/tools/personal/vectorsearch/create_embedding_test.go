package vectorsearch

import (
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestCreateEmbedding(t *testing.T) {
	call := served(t, 3)
	got := play[embeddingResult](t, call, "create_embedding", `{"text":"bread"}`)
	if got.Count != 1 || got.Dimensions != 3 || got.Model != "house" || !slices.Equal(got.Embeddings[0], meaning("bread", 3)) {
		t.Errorf("result %+v", got)
	}
	got = play[embeddingResult](t, call, "create_embedding", `{"texts":["a","🍞 לחם"],"model":"text-embedding-3-large","dimensions":3}`)
	if got.Count != 2 || got.Model != "text-embedding-3-large" || !slices.Equal(got.Embeddings[1], meaning("🍞 לחם", 3)) {
		t.Errorf("of two texts: %+v", got)
	}
	tooltest.Run(t, Set, "create_embedding", call, []tooltest.Case{
		{Name: "nothing", Args: `{}`, Fails: tool.ValidationError, Message: "give either text"},
		{Name: "both", Args: `{"text":"a","texts":["b"]}`, Fails: tool.ValidationError, Message: "give either text"},
		{Name: "blank", Args: `{"texts":["a"," "]}`, Fails: tool.ValidationError, Message: "text 1 is blank"},
		{Name: "101", Args: `{"texts":[` + strings.Repeat(`"a",`, 100) + `"a"]}`, Fails: tool.ValidationError, Message: "1 to 100"},
		{Name: "dimensions", Args: `{"text":"a","dimensions":0}`, Fails: tool.ValidationError, Message: "1 to 16000"},
		{Name: "model", Args: `{"text":"a","model":"x"}`, Fails: tool.ValidationError, Message: "model"},
		{Name: "another length than asked for", Args: `{"text":"a","dimensions":7}`, Fails: tool.ExecutionError, Message: "another length"},
	})
	call.Secrets = accounts{}
	tooltest.Run(t, Set, "create_embedding", call, []tooltest.Case{
		{
			Name:    "no service",
			Args:    `{"text":"a"}`,
			Fails:   tool.NotConfigured,
			Message: `The service "openai" is not configured, neither for ann nor for the tenant default. It is needed to make vectors of texts (create_embedding). Set it: helve config set openai --stdin api_key`,
		},
	})
}
