package utilities

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/netguard"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// accounts is a config center with the entries of one service.
type accounts map[string][]tool.ServiceEntry

func (a accounts) Entries(_ context.Context, service string) ([]tool.ServiceEntry, error) {
	if entries, ok := a[service]; ok {
		return entries, nil
	}
	return nil, tool.Fail(tool.Internal, "asked for the service %q", service)
}

func ratesAt(baseURL string) accounts {
	return accounts{ratesService: {
		{Label: "old", Active: false, Data: map[string]string{"base_url": "http://127.0.0.1:1"}},
		{Label: "rates", Default: true, Active: true, Data: map[string]string{"base_url": baseURL}},
	}}
}

// ratesServer starts a server with Frankfurter's format, and returns a call that
// reaches it.
func ratesServer(t *testing.T, handler http.HandlerFunc) (string, tool.Call) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	guard, err := netguard.New(netguard.Options{Allow: []string{server.Listener.Addr().String()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(guard.Close)
	return server.URL, tool.Call{HTTP: guard, Secrets: ratesAt(server.URL + "/v1/")}
}

// frankfurterRates answers with rates from the dollar.
func frankfurterRates(w http.ResponseWriter, r *http.Request) {
	rates := map[string]string{"EUR": "0.86957", "JPY": "150.005", "KWD": "0.30725", "TRY": "41.9", "USD": "1.2"}
	to := r.URL.Query().Get("symbols")
	date := map[string]string{"/v1/latest": "2026-01-02", "/v1/2025-06-15": "2025-06-13"}[r.URL.Path]
	rate, known := rates[to]
	w.Header().Set("Content-Type", "application/json")
	if !known || date == "" || len(r.URL.Query()) != 2 || r.Header.Get("User-Agent") != "Helve" {
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"message":"not found"}`))
		return
	}
	_, _ = fmt.Fprintf(w, `{"amount":1.0,"base":%q,"date":%q,"rates":{%q:%s}}`, r.URL.Query().Get("base"), date, to, rate)
}

func TestConvertCurrency(t *testing.T) {
	_, call := ratesServer(t, frankfurterRates)
	tooltest.Run(t, Set, "convert_currency", call, []tooltest.Case{
		{
			Name: "cents", Args: `{"amount":100,"from":"USD","to":"EUR"}`,
			Want: `{"amount":100,"from":"USD","to":"EUR","rate":0.86957,"result":86.96,"formatted":"100.00 USD = 86.96 EUR","date":"2026-01-02"}`,
		},
		{
			Name: "no cents", Args: `{"amount":1234.5,"from":"usd","to":" jpy "}`,
			Want: `{"amount":1234.5,"from":"USD","to":"JPY","rate":150.005,"result":185181,"formatted":"1,234.50 USD = 185,181 JPY","date":"2026-01-02"}`,
		},
		{
			Name: "three decimals", Args: `{"amount":10,"from":"USD","to":"KWD"}`,
			Want: `{"amount":10,"from":"USD","to":"KWD","rate":0.30725,"result":3.073,"formatted":"10.00 USD = 3.073 KWD","date":"2026-01-02"}`,
		},
		{
			Name: "no dust", Args: `{"amount":1.1,"from":"EUR","to":"USD"}`,
			Want: `{"amount":1.1,"from":"EUR","to":"USD","rate":1.2,"result":1.32,"formatted":"1.10 EUR = 1.32 USD","date":"2026-01-02"}`,
		},
		{Name: "every digit", Args: `{"amount":9999999999999,"from":"USD","to":"TRY"}`, Check: hasField("result", "418999999999958.1")},
		{Name: "less than a coin", Args: `{"amount":0.001,"from":"USD","to":"EUR"}`, Check: hasField("result", "0.00087")},
		{Name: "debt", Args: `{"amount":-2,"from":"USD","to":"EUR"}`, Check: hasField("formatted", `"-2.00 USD = -1.74 EUR"`)},
		{Name: "nothing", Args: `{"amount":0,"from":"USD","to":"EUR"}`, Check: hasField("result", "0")},
		{Name: "names", Args: `{"amount":1,"from":"$","to":"euros"}`, Check: hasField("to", `"EUR"`)},
		{Name: "past day", Args: `{"amount":1,"from":"USD","to":"EUR","date":"June 15, 2025"}`, Check: hasField("date", `"2025-06-13"`)},
		{Name: "latest", Args: `{"amount":1,"from":"USD","to":"EUR","date":"latest"}`, Check: hasField("date", `"2026-01-02"`)},
		{
			Name: "same", Args: `{"amount":5.5,"from":"EUR","to":"EUR"}`,
			Want: `{"amount":5.5,"from":"EUR","to":"EUR","rate":1,"result":5.5,"formatted":"5.50 EUR = 5.50 EUR","date":"2026-01-02"}`,
		},
		{Name: "same on a day", Args: `{"amount":5,"from":"EUR","to":"EUR","date":"2025-01-01"}`, Check: hasField("date", `"2025-01-01"`)},
		{Name: "same unknown", Args: `{"amount":5,"from":"QQQ","to":"QQQ"}`, Fails: tool.ValidationError, Message: "Unknown currency: 'QQQ'"},
		{
			Name: "unknown from", Args: `{"amount":1,"from":"US dollars","to":"EUR"}`, Fails: tool.ValidationError,
			Message: "Unknown currency: 'US dollars'",
		},
		{Name: "unknown to", Args: `{"amount":1,"from":"USD","to":"QQQ"}`, Fails: tool.ValidationError, Message: "Unknown currency: 'QQQ'"},
		{
			Name: "without a rate", Args: `{"amount":1,"from":"USD","to":"XAU"}`, Fails: tool.ValidationError,
			Message: "no published rate from USD to XAU",
		},
		{Name: "injection", Args: `{"amount":1,"from":"U/D","to":"EUR"}`, Fails: tool.ValidationError, Message: "Unknown currency"},
		{
			Name: "day without rates", Args: `{"amount":1,"from":"USD","to":"EUR","date":"1950-01-01"}`, Fails: tool.ValidationError,
			Message: "for 1950-01-01",
		},
		{Name: "future", Args: `{"amount":1,"from":"USD","to":"EUR","date":"2030-01-01"}`, Fails: tool.ValidationError, Message: "future"},
		{Name: "no date", Args: `{"amount":1,"from":"USD","to":"EUR","date":"soon"}`, Fails: tool.ValidationError, Message: "Invalid date"},
		{Name: "too much", Args: `{"amount":1e14,"from":"USD","to":"EUR"}`, Fails: tool.ValidationError, Message: "too large"},
		{Name: "missing", Args: `{"amount":1,"from":"USD"}`, Fails: tool.ValidationError, Message: "to"},
	})
}

func TestConvertCurrencyService(t *testing.T) {
	const args = `{"amount":1,"from":"USD","to":"EUR"}`
	for name, answer := range map[string]struct {
		status int
		body   string
		fails  tool.Kind
	}{
		"broken":       {200, `{"rates":`, tool.NetworkError},
		"no JSON":      {200, `<html>`, tool.NetworkError},
		"a text rate":  {200, `{"rates":{"EUR":"one"}}`, tool.NetworkError},
		"huge rate":    {200, `{"rates":{"EUR":1e999999}}`, tool.NetworkError},
		"no rate":      {200, `{"rates":{}}`, tool.ValidationError},
		"zero rate":    {200, `{"rates":{"EUR":0}}`, tool.NetworkError},
		"other base":   {200, `{"base":"GBP","rates":{"EUR":1.1}}`, tool.NetworkError},
		"endless":      {200, `{"rates":{"EUR":1,` + strings.Repeat(" ", maxRatesAnswer), tool.NetworkError},
		"bad pair":     {422, `{"message":"bad currency pair"}`, tool.ValidationError},
		"bad request":  {400, ``, tool.ValidationError},
		"too often":    {429, ``, tool.RateLimited},
		"down":         {503, ``, tool.NetworkError},
		"not modified": {304, ``, tool.NetworkError},
	} {
		_, call := ratesServer(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(answer.status)
			_, _ = w.Write([]byte(answer.body))
		})
		tooltest.Run(t, Set, "convert_currency", call, []tooltest.Case{{Name: name, Args: args, Fails: answer.fails}})
	}
	_, call := ratesServer(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"amount":100,"rates":{"EUR":87.5}}`)) // per hundred
	})
	tooltest.Run(t, Set, "convert_currency", call, []tooltest.Case{{Name: "per hundred", Args: args, Check: hasField("result", "0.88")}})
	_, call = ratesServer(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte(`{"rates":`)) // and the connection ends
	})
	tooltest.Run(t, Set, "convert_currency", call, []tooltest.Case{{Name: "broken off", Args: args, Fails: tool.NetworkError}})
	ended, call := ratesServer(t, nil)
	call.Secrets = ratesAt("http://" + strings.Replace(strings.TrimPrefix(ended, "http://"), "127.0.0.1", "10.0.0.1", 1))
	tooltest.Run(t, Set, "convert_currency", call, []tooltest.Case{{Name: "blocked host", Args: args, Fails: tool.PermissionDenied}})
}

func TestConvertCurrencyConfiguration(t *testing.T) {
	var asked string
	doer := tooltest.Doer(func(r *http.Request) (*http.Response, error) {
		asked = r.URL.String()
		return nil, tool.Fail(tool.NetworkError, "this test has no network")
	})
	const args = `{"amount":1,"from":"USD","to":"EUR"}`
	for base, want := range map[string]string{
		"": frankfurter + "/latest?base=USD&symbols=EUR", "https://rates.example/": "https://rates.example/latest?base=USD&symbols=EUR",
		" http://rates.example/api/latest?key=1 ": "http://rates.example/api/latest?base=USD&symbols=EUR",
	} {
		tooltest.Run(t, Set, "convert_currency", tool.Call{HTTP: doer, Secrets: ratesAt(base)}, []tooltest.Case{
			{Name: base, Args: args, Fails: tool.NetworkError},
		})
		if asked != want {
			t.Errorf("with %q it asked %s, want %s", base, asked, want)
		}
	}
	for _, base := range []string{
		"ftp://rates.example", "rates.example", "https://", "https://user:secret@rates.example", "http://\x7f", "file:///etc/passwd",
	} {
		asked = ""
		tooltest.Run(t, Set, "convert_currency", tool.Call{HTTP: doer, Secrets: ratesAt(base)}, []tooltest.Case{
			{Name: base, Args: args, Fails: tool.NotConfigured, Message: "base_url of the service exchange_rates"},
		})
		if asked != "" {
			t.Errorf("with %q it asked %s", base, asked)
		}
	}
	tooltest.Run(t, Set, "convert_currency", tool.Call{HTTP: doer, Secrets: accounts{}}, []tooltest.Case{
		{Name: "center fails", Args: args, Fails: tool.Internal},
	})
	ended := tooltest.Doer(func(*http.Request) (*http.Response, error) { return nil, context.DeadlineExceeded })
	tooltest.Run(t, Set, "convert_currency", tool.Call{HTTP: ended, Secrets: ratesAt("")}, []tooltest.Case{
		{Name: "late", Args: args, Fails: tool.Timeout},
	})
	if !errors.Is(badRatesURL().Because(errors.ErrUnsupported), errors.ErrUnsupported) {
		t.Error("the cause is lost")
	}
}
