package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// office answers the operations of the gate; the text of an answer contains its
// request.
func office(mux *http.ServeMux) {
	mux.HandleFunc("GET /v1/consents", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("tool") == "none" {
			io.WriteString(w, `{"consents":[]}`)
			return
		}
		fmt.Fprintf(w, `{"consents":[%s],"next":"n2"}`, consentOf("k1", "pending", r.URL.RawQuery+" "+r.Header.Get("Authorization"), ""))
	})
	mux.HandleFunc("GET /v1/consents/{id}", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("id") != "k1" {
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, `{"error_type":"not_found","detail":"there is no such consent"}`)
			return
		}
		io.WriteString(w, consentOf("k1", "granted", "It deletes.",
			`,"warnings":["path: it is old"],"decision":{"status":"granted","by":"bob","at":"2026-11-20T12:01:00Z","remember":"session","comment":"fine"}`))
	})
	mux.HandleFunc("GET /v1/consents/code", func(w http.ResponseWriter, _ *http.Request) {
		arguments, _ := json.Marshal(map[string]any{"name": "adder", "code": `const a = "x\\ny";` + `\n\treturn a\u202e;`})
		text, _ := json.Marshal("name: \"adder\"\ncode: \"const a\"\n")
		fmt.Fprintf(w, `{"consent_id":"code","status":"pending","tool":"create_tool","arguments":%s,"preview":%s}`, arguments, text)
	})
	mux.HandleFunc("POST /v1/consents/{id}/decision", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		io.WriteString(w, consentOf(r.PathValue("id"), "decided", string(body), ""))
	})
	mux.HandleFunc("POST /v1/tokens", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		text, _ := json.Marshal(string(body))
		fmt.Fprintf(w, `{"token":%s,"token_id":"tok1","expires_at":"2026-11-20T12:00:00Z"}`, text)
	})
	mux.HandleFunc("GET /v1/grants", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("user") == "nobody" {
			io.WriteString(w, `{"grants":[]}`)
			return
		}
		io.WriteString(w,
			`{"grants":[{"grant_id":"g1","tenant":"default","user":"ada","tool":"delete_file","by":"ada","granted_at":"2026-11-20T12:00:00Z"},`+
				`{"grant_id":"g2","tenant":"default","user":"bob","permission":"disk","conversation":"v1","deny":true,"by":"eve","granted_at":"2026-11-20T12:00:00Z"}]}`)
	})
	mux.HandleFunc("DELETE /v1/grants/g1", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("by") != "ada" {
			w.WriteHeader(http.StatusForbidden)
		}
		io.WriteString(w, `{}`)
	})
	mux.HandleFunc("GET /v1/workers", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("pool") == "empty" {
			io.WriteString(w, `{"workers":[],"kinds":[]}`)
			return
		}
		io.WriteString(w, `{"workers":[{"id":"w-1","version":"v1","since":"2026-11-20T12:00:00Z","pools":["default","heavy"],"slots":8,"busy":3,"rate":1.5,"state":"running","paused":["heavy"],"tools":220,"kinds":{"default":"0123456789abcdef"}}],`+
			`"kinds":[{"pool":"default","kind":"0123456789abcdef","workers":1,"tools":[{"name":"calculate","version":"1","hash":"ab"}]}]}`)
	})
	mux.HandleFunc("GET /v1/remote", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"instances":[{"instance":"ruby-1","tools":[{"name":"weather_of","version":"1","hash":"ab"}],"ttl_ms":15000,"last_seen":"2026-11-20T12:00:00Z"}]}`)
	})
	mux.HandleFunc("POST /v1/workers/{id}/{action}", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("id") != "w-1" {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, `{"status":404,"error_type":"not_found","detail":"no worker of that name is running"}`)
			return
		}
		fmt.Fprintf(w, `{"action":%q,"workers":["w-1"]}`, r.PathValue("action"))
	})
	mux.HandleFunc("POST /v1/pools/{pool}/{action}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"action":%q,"pool":%q,"workers":["w-1"],"message":"it holds"}`, r.PathValue("action"), r.PathValue("pool"))
	})
	officeOperators(mux)
	mux.HandleFunc("GET /v1/upstream", func(w http.ResponseWriter, r *http.Request) {
		const calm = `{"tool":"gh_get","server":"gh","upstream":"get","state":"accepted","accepted":"sha256:11","by":"first use","at":"2026-11-20T12:00:00Z"}`
		const changed = `{"tool":"gh_put","server":"gh","upstream":"put","state":"changed","accepted":"sha256:2222222222222222","by":"ada","seen":"sha256:33","worker":"w-1","seen_at":"2026-11-20T12:00:00Z"%s}`
		switch r.URL.Query().Get("name") {
		case "":
			fmt.Fprintf(w, `{"tools":[`+calm+`,`+changed+`]}`, "")
		case "gh_get":
			io.WriteString(w, `{"tools":[`+calm+`]}`)
		case "gh_put":
			fmt.Fprintf(w, `{"tools":[`+changed+`]}`,
				`,"definition":{"description":"Puts."},"seen_definition":{"description":"Schön`+"\u202e\U000e0041"+`"}`)
		default:
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, `{"error_type":"not_found","detail":"no MCP server has had a tool of that name"}`)
		}
	})
	mux.HandleFunc("POST /v1/upstream/gh_put/accept", func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Hash string }
		if json.NewDecoder(r.Body).Decode(&body); body.Hash != "sha256:33" {
			w.WriteHeader(http.StatusConflict)
			io.WriteString(w, `{"error_type":"conflict","detail":"another one waits"}`)
			return
		}
		io.WriteString(w, `{"tool":"gh_put","server":"gh","upstream":"put","state":"accepted","accepted":"sha256:33"}`)
	})
	mux.HandleFunc("GET /v1/audit", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("tool") == "none" {
			io.WriteString(w, `{"records":[]}`)
			return
		}
		text, _ := json.Marshal(r.URL.RawQuery)
		fmt.Fprintf(w, `{"records":[`+
			`{"audit_id":"a1","seq":1,"time":"2026-11-20T12:00:00.5Z","phase":"consent_decided","call_id":"c1","tenant":"default","user":"ada","agent":"notes","by":"bob","tool":"delete_file","decision":{"outcome":"allowed","reason":"a person said yes"}},`+
			`{"audit_id":"a2","seq":2,"time":"2026-11-20T12:00:01Z","phase":"finished","call_id":"c1","tenant":"default","user":"ada","tool":"delete_file","decision":{"outcome":"allowed","rule":"token"},"result":{"status":"success","summary":"object with 2 members"},"duration_ms":1.7049},`+
			`{"audit_id":"a3","seq":3,"time":"2026-11-20T12:00:02Z","phase":"policy_changed","tenant":"default","detail":%s,"sealed":false,"problem":"changed"}],"next":"4"}`, text)
	})
	mux.HandleFunc("POST /v1/audit/rebuild", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Helve-Tenant") == "default" {
			io.WriteString(w, `{"repaired":[],"repaired_count":0}`)
			return
		}
		io.WriteString(w,
			`{"repaired":[{"seq":3,"kind":"index_extra","detail":"the index holds record 3, and the stream does not"}],"repaired_count":12}`)
	})
	mux.HandleFunc("GET /v1/audit/verify", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("index") == "true" {
			io.WriteString(w, `{"ok":false,"records":9,"sealed_to":8,"problems":[{"seq":4,"kind":"index_missing","detail":"record 4 is not in the index"}],"problem_count":1}`)
			return
		}
		if r.URL.Query().Get("from_seq") == "3" && r.URL.Query().Get("to_seq") == "5" {
			io.WriteString(w,
				`{"ok":true,"records":4,"sealed_to":6,"problems":[],"problem_count":0,"from_seq":3,"to_seq":6,"key_ids":["0011223344556677"]}`)
			return
		}
		if r.Header.Get("Helve-Tenant") == "default" {
			io.WriteString(w, `{"ok":true,"records":9,"sealed_to":8,"problems":[]}`)
			return
		}
		io.WriteString(w, `{"ok":false,"records":9,"sealed_to":8,"problems":[{"seq":3,"part":2,"kind":"changed","detail":"it is not what was sealed"}],"problem_count":12}`)
	})
	mux.HandleFunc("GET /v1/audit/export", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("tool") == "broken" {
			w.WriteHeader(http.StatusServiceUnavailable)
			io.WriteString(w, `{"error_type":"unavailable","detail":"the trail cannot be read"}`)
			return
		}
		if r.URL.Query().Get("cursor") == "" {
			io.WriteString(w, `{"lines":["{\"first\":1}"],"next":"n2"}`)
			return
		}
		text, _ := json.Marshal(r.URL.RawQuery)
		fmt.Fprintf(w, `{"lines":[%s]}`, text)
	})
}

func consentOf(id, status, reason, more string) string {
	text, _ := json.Marshal(reason)
	return fmt.Sprintf(`{"consent_id":%q,"status":%q,"call":{"call_id":"c1","trace_id":"t1"},"tool":"delete_file","risk":"medium","reason":%s,"rule":"table:medium-mutates",`+
		`"permissions":["disk"],"for_tool":false,"scopes":{"paths":["notes","old"],"hosts":["example.org"],"apps":[]},"tenant":"default","user":"ada","agent":"notes",`+
		`"arguments":{"path":"old.txt"},"preview":"path: old.txt\n  force: true","args_hash":"sha256:00","requested_at":"2026-11-20T12:00:00Z","expires_at":"2026-11-20T12:10:00Z"%s}`, id, status, text, more)
}
