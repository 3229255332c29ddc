package dataextraction

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestExtractEntities(t *testing.T) {
	const text = `Ann <ann@example.com> pays $1,250.50 (about 5 %) on 2026-12-01, then 3 million euros; https://example.com/a, +49 30 123456.`
	tooltest.Run(t, Set, "extract_entities", tool.Call{}, []tooltest.Case{
		{
			Name: "all", Args: `{"text":"` + text + `"}`,
			Want: `{"text":"` + text + `","basicEntities":{"email":["ann@example.com"],"url":["https://example.com/a"],"phone":["+49 30 123456"],"money":["$1,250.50","3 million euros"],"percentage":["5 %"],"date":["2026-12-01"]},"entityTypesRequested":"all","includeConfidence":false}`,
		},
		{
			Name: "some, with confidence", Args: `{"text":"EUR 5 or 6%","entityTypes":["money","person"],"includeConfidence":true}`,
			Want: `{"text":"EUR 5 or 6%","basicEntities":{"money":["EUR 5"]},"entityTypesRequested":["money","person"],"includeConfidence":true,"confidence":{"money":0.9}}`,
		},
		{
			Name: "a long text", Args: `{"text":"` + strings.Repeat("é", 300) + `"}`,
			Want: `{"text":"` + strings.Repeat("é", 200) + `...","basicEntities":{},"entityTypesRequested":"all","includeConfidence":false}`,
		},
		{
			Name: "within words",
			Args: `{"text":"abcUSD5 v1.5% x$","entityTypes":["money"]}`,
			Want: `{"text":"abcUSD5 v1.5% x$","basicEntities":{},"entityTypesRequested":["money"],"includeConfidence":false}`,
		},
		{Name: "blank", Args: `{"text":" \n"}`, Fails: tool.ValidationError, Message: "Text is required for entity extraction"},
		{Name: "an unknown type", Args: `{"text":"a","entityTypes":["colour"]}`, Fails: tool.ValidationError, Message: "entityTypes"},
	})
}
