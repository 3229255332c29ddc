package provider

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
)

// TestMessagesWithImages: images go to the formats that have them in results, beside the
// text; anything that a provider would refuse the request for does not.
func TestMessagesWithImages(t *testing.T) {
	const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
	large := func(n int) string {
		return base64.StdEncoding.EncodeToString(append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, n-8)...))
	}
	for name, tt := range map[string]struct {
		content string
		want    string // the media type and the data
	}{
		"an image": {
			`[{"type":"text","text":"a"},{"type":"image","mimeType":"image/png","data":"` + pixel + `","annotations":{"priority":1}}]`,
			"image/png " + pixel,
		},
		"a resource": {
			`[{"type":"resource","resource":{"uri":"a://b","mimeType":"image/png","blob":"` + pixel + `"}}]`, "image/png " + pixel,
		},
		"another name":         {`[{"type":"image","mimeType":"image/webp","data":"` + pixel + `"}]`, "image/png " + pixel},
		"the largest":          {`[{"type":"image","mimeType":"image/png","data":"` + large(5<<20) + `"}]`, "image/png " + large(5<<20)},
		"too large":            {`[{"type":"image","mimeType":"image/png","data":"` + large(5<<20+3) + `"}]`, ""},
		"a kind few read":      {`[{"type":"image","mimeType":"image/svg+xml","data":"PHN2Zz48L3N2Zz4="}]`, ""},
		"no image":             {`[{"type":"image","mimeType":"image/png","data":"AQID"}]`, ""},
		"no base64":            {`[{"type":"image","mimeType":"image/png","data":"iVBORw0KGgoAAAANSUhEUg\"x"}]`, ""},
		"a sound":              {`[{"type":"audio","mimeType":"audio/wav","data":"UklGRiQAAABXQVZFZm10IA=="}]`, ""},
		"content of no blocks": {`[1,"a",null,{"type":"image"}]`, ""},
	} {
		for f, form := range map[Format][2]string{
			OpenAI:    {"", ""},
			Responses: {`{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,`, `"}`},
			Anthropic: {`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"`, `"}}`},
			Gemini:    {`{"inlineData":{"mimeType":"image/png","data":"`, `"}}`},
		} {
			for _, status := range []string{"success", "error"} {
				text := "described"
				got, err := f.Messages([]Call{{ID: "c", Name: "t"}}, []Outcome{
					{Status: status, Text: &text, Message: text, Content: json.RawMessage(tt.content)},
				})
				if err != nil || !json.Valid(got) || !strings.Contains(string(got), text) {
					t.Fatalf("%s, %s: %.300s, %v", name, f, got, err)
				}
				_, data, _ := strings.Cut(tt.want, " ")
				has := form[0] != "" && strings.Contains(string(got), form[0]+data+form[1])
				if want := form[0] != "" && tt.want != ""; has != want || !want && strings.Contains(string(got), "iVBOR") {
					t.Errorf("%s, %s, %s: %.300s", name, f, status, got)
				}
			}
		}
	}
}

// TestMessagesNameWhatTheyLack: a note names the data that a message cannot carry and how to
// get it, and structured content is beside the text of a tool.
func TestMessagesNameWhatTheyLack(t *testing.T) {
	const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
	image, sound := `{"type":"image","mimeType":"image/png","data":"`+pixel+`"}`, `{"type":"audio","mimeType":"audio/wav","data":"AQID"}`
	text := "listed"
	for f, lacks := range map[Format]string{
		OpenAI:    "content[0] (image/png, 68 bytes), content[1] (audio/wav, 3 bytes)",
		Responses: "carry content[1] (audio/wav, 3 bytes)",
		Anthropic: "carry content[1]",
		Gemini:    "carry content[1]",
	} {
		got, err := f.Messages([]Call{{ID: "c"}}, []Outcome{
			{
				CallID:  "c7",
				Status:  "success",
				Text:    &text,
				Result:  json.RawMessage(`{"content":[]}`),
				Content: json.RawMessage("[" + image + "," + sound + "]"),
			},
		})
		if err != nil || !strings.Contains(string(got), lacks) || !strings.Contains(string(got), "/v1/calls/c7 returns it") {
			t.Errorf("%s: %.600s, %v", f, got, err)
		}
		got, err = f.Messages([]Call{{ID: "c"}}, []Outcome{
			{
				Status:  "success",
				Text:    &text,
				Result:  json.RawMessage(`{"items":["one"]}`),
				Content: json.RawMessage(`[{"type":"text","text":"listed"}]`),
			},
		})
		if said := strings.ReplaceAll(string(got), `\`, ""); err != nil || !strings.Contains(said, `listedn{"items":["one"]}`) ||
			strings.Contains(said, "notes") {
			t.Errorf("%s: %s, %v", f, got, err)
		}
	}
}
