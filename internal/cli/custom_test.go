package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"
)

// jsCommand is a substitute for the command of cmd/helve that these commands join.
func jsCommand() *cobra.Command {
	types := &cobra.Command{Use: "types", RunE: func(cmd *cobra.Command, _ []string) error {
		_, err := io.WriteString(cmd.OutOrStdout(), "the runtime API\n")
		return err
	}}
	types.Flags().String("out", "", "")
	cmd := &cobra.Command{Use: "js"}
	cmd.AddCommand(types)
	return cmd
}

// workshop answers the operations of custom tools.
func workshop(mux *http.ServeMux) {
	const adder = `{"name":"adder","owner":"ada","description":"Adds.","enabled":%v,"version":3,"permissions":["filesystem"],"hosts":[],"risk":"low","shared_version":%d%s}`
	mux.HandleFunc("GET /v1/custom-tools", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("owner") != "ada" {
			io.WriteString(w, `{"tools":[]}`)
			return
		}
		fmt.Fprintf(w, `{"tools":[`+adder+`]}`, true, 2, "")
	})
	mux.HandleFunc("GET /v1/custom-tools/adder", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, adder, true, 2, `,"parameters":{"type":"object"},"code":"const n = 1;\nreturn n;\n"`)
	})
	mux.HandleFunc("POST /v1/custom-tools/adder/share", func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Version int }
		if json.NewDecoder(r.Body).Decode(&body); body.Version != 3 {
			w.WriteHeader(http.StatusConflict)
			fmt.Fprintf(w, `{"error_type":"conflict","detail":"version %d is not the current one"}`, body.Version)
			return
		}
		fmt.Fprintf(w, adder, true, 3, "")
	})
	mux.HandleFunc("POST /v1/custom-tools/adder/toggle", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, adder, false, 2, "") })
	for _, path := range []string{"DELETE /v1/custom-tools/adder", "DELETE /v1/custom-tools/adder/share"} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{}`) })
	}
}
