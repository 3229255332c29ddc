package finance

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/netguard"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// accounts is a config center with the entries of one service.
type accounts []tool.ServiceEntry

func (a accounts) Entries(context.Context, string) ([]tool.ServiceEntry, error) { return a, nil }

const png = "\x89PNG\r\n\x1a\n"

// vision starts an endpoint that answers every request with a message of a model.
func vision(t *testing.T, content string) tool.Call {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Model    string
			Messages []struct {
				Content []struct {
					Type     string
					ImageURL struct{ URL string } `json:"image_url"`
				}
			}
		}
		err := json.NewDecoder(r.Body).Decode(&body)
		if err != nil || r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer k1" || body.Model != "seer" ||
			body.Messages[0].Content[1].ImageURL.URL != "data:image/png;base64,"+base64.StdEncoding.EncodeToString([]byte(png)) {
			http.Error(w, "unexpected request", http.StatusBadRequest)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": content}}},
		})
	}))
	t.Cleanup(server.Close)
	guard, err := netguard.New(netguard.Options{Allow: []string{server.Listener.Addr().String()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(guard.Close)
	call := ann(t)
	call.HTTP, call.Files = guard, tooltest.Files{}
	call.Secrets = accounts{{Active: true, Data: map[string]string{"base_url": server.URL + "/v1", "api_key": "k1", "vision_model": "seer"}}}
	if _, err := call.Files.Write("r.png", strings.NewReader(png)); err != nil {
		t.Fatal(err)
	}
	return call
}

func TestParseReceipt(t *testing.T) {
	call := vision(t, `{"date":"2026-11-20","amount":12.30,"currency":"EUR","merchant":"Bakery","items":[{"name":"Bread","quantity":2,"price":6.15}],"category":"food","paymentMethod":"cash"}`)
	got := play[receiptResult](t, call, "parse_receipt", `{"image":"r.png","saveReceipt":false}`)
	if got.Saved != nil || got.Receipt.Amount != "12.30" || got.Receipt.Items[0].Name != "Bread" || got.Model != "seer" {
		t.Errorf("result %+v", got)
	}
	got = play[receiptResult](t, call, "parse_receipt",
		`{"imageBase64":"data:image/png;base64,`+base64.StdEncoding.EncodeToString([]byte(png))+`"}`)
	if got.Saved == nil || got.Saved.Source != "receipt" || got.Saved.Description != "Bakery" || got.Saved.Amount != "12.30" {
		t.Errorf("saved %+v", got.Saved)
	}
	if list := play[queryResult](t, call, "query_expenses", `{"limit":5}`); list.Total != 1 {
		t.Errorf("%d expenses are stored, want 1", list.Total)
	}
	for content, says := range map[string]string{
		`not JSON`:                         "makes no sense",
		`{"merchant":"x"}`:                 "found no amount",
		`{"amount":-5,"currency":"EUR"}`:   "cannot be recorded: amount: -5 is negative",
		`{"amount":5,"currency":"shells"}`: "cannot be recorded: currency",
	} {
		tooltest.Run(t, Set, "parse_receipt", vision(t, content), []tooltest.Case{
			{Name: content, Args: `{"image":"r.png"}`, Fails: tool.ExecutionError, Message: says},
		})
	}
	tooltest.Run(t, Set, "parse_receipt", call, []tooltest.Case{
		{Name: "no image", Args: `{}`, Fails: tool.ValidationError, Message: "give either image"},
		{Name: "two", Args: `{"image":"r.png","imageBase64":"AA=="}`, Fails: tool.ValidationError, Message: "give either image"},
		{Name: "no file", Args: `{"image":"no.png"}`, Fails: tool.FileNotFound},
		{Name: "no base64", Args: `{"imageBase64":"%%%"}`, Fails: tool.ValidationError, Message: "not base64"},
		{Name: "no picture", Args: `{"imageBase64":"AAAA"}`, Fails: tool.ValidationError, Message: "no PNG"},
	})
	call.Secrets = accounts{}
	tooltest.Run(t, Set, "parse_receipt", call, []tooltest.Case{
		{
			Name:    "no service",
			Args:    `{"image":"r.png"}`,
			Fails:   tool.NotConfigured,
			Message: `The service "openai" is not configured, neither for ann nor for the tenant default. It is needed to read the image of a receipt (parse_receipt). Set it: helve config set openai --stdin api_key`,
		},
	})
}
