package system

import (
	"encoding/json"
	"testing"
)

// Batch is a result of batch_use_tool.
type Batch struct {
	Results []struct {
		Tool     string          `json:"tool"`
		Status   string          `json:"status"`
		Message  string          `json:"message"`
		Error    string          `json:"error_type"`
		Result   json.RawMessage `json:"result"`
		Metadata struct {
			Ignored []string `json:"ignored"`
		} `json:"metadata"`
	} `json:"results"`
	Total     int `json:"total"`
	Succeeded int `json:"succeeded"`
	Failed    int `json:"failed"`
}

// ExecuteBatch runs calls in one batch and returns their outcomes.
func ExecuteBatch(t testing.TB, d Door, tenant, context, calls string) Batch {
	t.Helper()
	e := Execute(t, d, tenant,
		`{`+context+`"calls": [{"call_id": "`+tenant+`-batch", "tool": "batch_use_tool", "arguments": {"calls": [`+calls+`]}}]}`).Results[0]
	var b Batch
	if err := json.Unmarshal(e.Result, &b); err != nil {
		t.Fatalf("batch_use_tool = %s %s: %v", e.Status, e.Message, err)
	}
	return b
}
