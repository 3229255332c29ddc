package mcp

import (
	"encoding/json"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestAnswerLinks: each file that a call wrote is a resource link after the texts, and its
// path is escaped.
func TestAnswerLinks(t *testing.T) {
	var out Outcome
	element :=
		`{"call_id":"c1","status":"success","result":1,"metadata":{"total":1,"files":[{"path":"out/a b?.png","size":7,"type":"image/png"}]}}`
	if err := json.Unmarshal([]byte(element), &out); err != nil {
		t.Fatal(err)
	}
	res := out.answer().result()
	if len(res.Content) != 2 {
		t.Fatalf("%d contents, want the result and the link", len(res.Content))
	}
	link, _ := res.Content[1].(*sdk.ResourceLink)
	if link == nil || link.URI != "helve-file:///out/a%20b%3F.png" || link.Name != "a b?.png" || link.MIMEType != "image/png" ||
		link.Size == nil || *link.Size != 7 {
		t.Errorf("the link is %+v", res.Content[1])
	}
}
