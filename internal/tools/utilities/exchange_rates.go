package utilities

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/text/currency"

	"github.com/helve-dev/helve/tool"
)

const (
	// ratesService is the service of the config center whose base_url names
	// another source of rates.
	ratesService = "exchange_rates"
	// frankfurter publishes the reference rates of central banks, for free and
	// without a key. What speaks its format can take its place.
	frankfurter = "https://api.frankfurter.dev/v1"
	// maxRatesAnswer bounds what is read of an answer, in bytes.
	maxRatesAnswer = 64 << 10
)

// exchangeRate is how much of one currency another is worth, on a day.
type exchangeRate struct {
	value *big.Rat
	day   string
}

// fetchRate asks for the rate of a day, which is "latest" or YYYY-MM-DD.
func fetchRate(ctx context.Context, call *tool.Call, from, to, day string) (exchangeRate, error) {
	base, err := ratesURL(ctx, call)
	if err != nil {
		return exchangeRate{}, err
	}
	address := base.JoinPath(day)
	address.RawQuery = url.Values{"base": {from}, "symbols": {to}}.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), http.NoBody)
	if err != nil {
		return exchangeRate{}, badRatesURL().Because(err)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "Helve")
	resp, err := call.HTTP.Do(req)
	if err != nil {
		return exchangeRate{}, err
	}
	defer func() { _ = resp.Body.Close() }() // all that mattered has been read
	switch resp.StatusCode {
	case http.StatusOK:
		return readRate(resp.Body, from, to)
	case http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity:
		return exchangeRate{}, noRate(from, to, day)
	case http.StatusTooManyRequests:
		return exchangeRate{}, tool.Fail(tool.RateLimited, "The exchange rate service had too many requests. Try again in a minute.")
	default:
		return exchangeRate{}, tool.Fail(tool.NetworkError, "The exchange rate service answered with status %d. Try again later.", resp.StatusCode)
	}
}

// ratesURL is where rates come from.
func ratesURL(ctx context.Context, call *tool.Call) (*url.URL, error) {
	entries, err := call.Secrets.Entries(ctx, ratesService)
	if err != nil {
		return nil, err
	}
	base := frankfurter
	for _, entry := range entries {
		if own := strings.TrimSpace(entry.Data["base_url"]); entry.Active && own != "" {
			base = own
			break
		}
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return nil, badRatesURL().Because(err)
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/latest")
	u.RawPath, u.Fragment = "", ""
	return u, nil
}

func badRatesURL() *tool.Error {
	return tool.Fail(tool.NotConfigured, "The base_url of the service %s is not an http or https address. Set it to one such as %s.", ratesService, frankfurter)
}

func noRate(from, to, day string) error {
	for _, code := range []string{from, to} {
		if _, err := currency.ParseISO(code); err != nil {
			return tool.Fail(tool.ValidationError, "Unknown currency: '%s'. Use an ISO 4217 code such as USD, EUR or JPY.", code)
		}
	}
	if day != latestDay {
		return tool.Fail(tool.ValidationError, "There is no rate from %s to %s for %s. Choose a day from 1999 on, and currencies with published rates.", from, to, day)
	}
	return tool.Fail(tool.ValidationError, "Unknown currency: there is no published rate from %s to %s. Use ISO 4217 codes such as USD, EUR or JPY.", from, to)
}

// readRate reads an answer in Frankfurter's format:
//
//	{"amount": 1.0, "base": "USD", "date": "2026-06-12", "rates": {"EUR": 0.87}}
func readRate(body io.Reader, from, to string) (exchangeRate, error) {
	text, err := io.ReadAll(io.LimitReader(body, maxRatesAnswer))
	if failure := tool.AsError(err); failure != nil {
		if failure.Kind == tool.ExecutionError {
			failure = tool.Fail(tool.NetworkError, "The exchange rate service broke off its answer. Try again later.").Because(err)
		}
		return exchangeRate{}, failure
	}
	var answer struct {
		Amount float64            `json:"amount"`
		Base   string             `json:"base"`
		Date   string             `json:"date"`
		Rates  map[string]float64 `json:"rates"`
	}
	answer.Amount = 1
	// A float64 gives back the digits it was read from, so 0.87 stays 87/100.
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&answer); err != nil {
		return exchangeRate{}, tool.Fail(tool.NetworkError, "The exchange rate service sent an answer that cannot be read. Try again later.").Because(err)
	}
	rate, ok := answer.Rates[to]
	switch {
	case !ok:
		return exchangeRate{}, noRate(from, to, latestDay)
	case rate <= 0 || answer.Amount <= 0 || answer.Base != "" && answer.Base != from:
		return exchangeRate{}, tool.Fail(tool.NetworkError, "The exchange rate service sent a rate that cannot be right. Try again later.")
	}
	value := new(big.Rat).Quo(ratOf(rate, -1), ratOf(answer.Amount, -1))
	return exchangeRate{value, firstCharacters(answer.Date, 10)}, nil
}
