package finance

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// encode returns the file of an export.
func encode(format string, list []tool.Record[stored]) ([]byte, error) {
	if format == "csv" {
		return table(list)
	}
	shown := make([]expense, len(list))
	for i, r := range list {
		shown[i] = show(r)
	}
	var w bytes.Buffer
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(shown)
	return w.Bytes(), err
}

// table returns the expenses as CSV by RFC 4180, with lines that end in a line feed.
func table(list []tool.Record[stored]) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write([]string{
		"id", "date", "amount", "currency", "category", "description", "paymentMethod", "tags", "notes", "source", "createdAt",
	})
	for _, r := range list {
		v := r.Value
		_ = w.Write([]string{ // its errors are those of a buffer, which has none
			r.ID, v.Date, string(v.Amount), v.Currency, v.Category, defused(v.Description), defused(v.PaymentMethod),
			defused(strings.Join(v.Tags, "; ")), defused(v.Notes), v.Source, created(r),
		})
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// defused returns the text of a cell so that no spreadsheet takes it for a formula:
// programs run what begins with one of these characters, also behind blanks and quotes.
func defused(text string) string {
	if rest := strings.TrimLeft(text, " \"'\u00a0\ufeff"); rest != "" && strings.ContainsRune("=+-@\t\r\n|%＝＋－＠", []rune(rest)[0]) {
		return "'" + text
	}
	return text
}
