package utilities

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"math/big"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/text/currency"

	"github.com/helve-dev/helve/internal/lib/calc"
	"github.com/helve-dev/helve/internal/lib/dates"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

type convertCurrencyArgs struct {
	Value float64 `json:"value" alias:"amount" doc:"How much money to convert."`
	From  string  `json:"from" doc:"Currency of value, by its ISO 4217 code such as USD."`
	To    string  `json:"to" doc:"Currency to convert to."`
	Date  string  `json:"date,omitempty" doc:"Day whose rate counts, such as 2026-01-15; the latest rate when left out."`
}

type convertCurrencyResult struct {
	Amount    float64         `json:"amount"`
	From      string          `json:"from"`
	To        string          `json:"to"`
	Rate      json.RawMessage `json:"rate" doc:"A number: what one unit of from is worth."`
	Result    json.RawMessage `json:"result" doc:"A number: the converted amount, rounded as the currency is."`
	Formatted string          `json:"formatted"`
	Date      string          `json:"date" doc:"Day of the rate."`
}

const (
	latestDay = "latest"
	// maxMoney is the largest amount whose cents a float64 can represent.
	maxMoney = 1e13
	// ratePlaces is the number of shown decimals of a rate.
	ratePlaces = 10
)

var _ = tool.Add(Set, tool.Spec[convertCurrencyArgs, convertCurrencyResult]{
	Name: "convert_currency",
	Description: "Convert an amount of money between currencies by the central banks' published rates, of today or a past day; " +
		"returns the converted amount, the rate and its day.",
	Tags:       []string{"currency", "convert", "money", "exchange rate", "dollar", "euro", "pound", "yen", "forex", "price"},
	Group:      "conversion",
	Risk:       tool.Medium,
	Mutates:    false,
	Idempotent: true,
	OpenWorld:  true,
	Scopes:     tool.Scopes{Hosts: []string{"*"}}, // base_url may name any host
	Needs:      tool.NeedHTTP | tool.NeedSecrets,
	Errors:     []tool.Kind{tool.NetworkError, tool.NotConfigured},
	Example:    `{"value": 100, "from": "USD", "to": "EUR"}`,
	Timeout:    20 * time.Second,
	Run:        convertCurrency,
})

func convertCurrency(ctx context.Context, call *tool.Call, args convertCurrencyArgs) (convertCurrencyResult, error) {
	from, err := currencyCode(args.From)
	if err != nil {
		return convertCurrencyResult{}, err
	}
	to, err := currencyCode(args.To)
	if err != nil {
		return convertCurrencyResult{}, err
	}
	if math.Abs(args.Value) > maxMoney {
		return convertCurrencyResult{}, tool.Fail(tool.ValidationError, "The amount is too large to be exact. Use at most 10 trillion.")
	}
	day, err := rateDay(call, args.Date)
	if err != nil {
		return convertCurrencyResult{}, err
	}
	rate := exchangeRate{big.NewRat(1, 1), call.Clock.Now().UTC().Format(time.DateOnly)}
	if from != to {
		if rate, err = fetchRate(ctx, call, from, to, day); err != nil {
			return convertCurrencyResult{}, err
		}
	} else if _, err := currency.ParseISO(from); err != nil {
		return convertCurrencyResult{}, noRate(from, to, day)
	} else if day != latestDay {
		rate.day = day
	}
	amount := calc.RatOf(args.Value, -1)
	converted := moneyText(new(big.Rat).Mul(amount, rate.value), to)
	return convertCurrencyResult{
		Amount: args.Value, From: from, To: to,
		Rate:      json.RawMessage(calc.DecimalText(rate.value, ratePlaces)),
		Result:    json.RawMessage(plainNumberText(converted)),
		Formatted: calc.Grouped(moneyText(amount, from)) + " " + from + " = " + calc.Grouped(converted) + " " + to,
		Date:      rate.day,
	}, nil
}

// currencyWords maps other names of common currencies to their codes.
var currencyWords = map[string]string{
	"$": "USD", "US$": "USD", "DOLLAR": "USD", "DOLLARS": "USD", "€": "EUR", "EURO": "EUR", "EUROS": "EUR",
	"£": "GBP", "POUND": "GBP", "POUNDS": "GBP", "¥": "JPY", "YEN": "JPY", "₹": "INR", "RUPEE": "INR", "RUPEES": "INR",
	"₺": "TRY", "LIRA": "TRY", "₩": "KRW", "WON": "KRW", "FRANC": "CHF", "FRANCS": "CHF", "YUAN": "CNY", "RENMINBI": "CNY",
}

func currencyCode(text string) (string, error) {
	code := strings.ToUpper(strings.TrimSpace(text))
	if known, ok := currencyWords[code]; ok {
		return known, nil
	}
	if len(code) != 3 || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return "", tool.Fail(tool.ValidationError, "Unknown currency: '%s'. Use an ISO 4217 code such as USD, EUR or JPY.",
			textcut.Excerpt(text, 30))
	}
	return code, nil
}

func rateDay(call *tool.Call, date string) (string, error) {
	if text := strings.TrimSpace(date); text == "" || text == latestDay {
		return latestDay, nil
	}
	now := call.Clock.Now()
	t, err := dates.Read(date, time.UTC, now)
	if err != nil {
		return "", err
	}
	if t.After(now) {
		return "", tool.Fail(tool.ValidationError, "The date lies in the future, which has no rates yet. Choose a past day, or leave it out.")
	}
	return t.UTC().Format(time.DateOnly), nil
}

// moneyText rounds to the decimals of the currency, halves away from zero, and shows
// all of them. An amount below the smallest coin keeps two significant digits.
func moneyText(amount *big.Rat, code string) string {
	places := 2
	if unit, err := currency.ParseISO(code); err == nil {
		places, _ = currency.Standard.Rounding(unit)
	}
	text := amount.FloatString(places)
	if amount.Sign() == 0 || strings.ContainsAny(text, "123456789") {
		return text
	}
	left := new(big.Rat).Mul(new(big.Rat).Abs(amount), new(big.Rat).SetInt(calc.PowerOfTen(places)))
	for ; left.Cmp(big.NewRat(1, 1)) < 0 && places < calc.MaxPlaces; places++ {
		left.Mul(left, big.NewRat(10, 1))
	}
	return amount.FloatString(places + 1)
}

// plainNumberText drops trailing zeros of the decimals.
func plainNumberText(text string) string {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return "0"
	}
	return calc.DecimalText(r, calc.MaxPlaces+1)
}

const (
	// ratesService is the config center service whose base_url sets another source of
	// rates.
	ratesService = "exchange_rates"
	// frankfurter publishes the reference rates of central banks, free and without a
	// key. Any service with the same format can replace it.
	frankfurter = "https://api.frankfurter.dev/v1"
	// maxRatesAnswer limits the part of an answer that is read, in bytes.
	maxRatesAnswer = 64 << 10
)

// exchangeRate is the value of one currency in another, on a day.
type exchangeRate struct {
	value *big.Rat
	day   string
}

// fetchRate requests the rate of a day, which is "latest" or YYYY-MM-DD.
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
	defer func() { _ = resp.Body.Close() }() // everything that matters has been read
	switch resp.StatusCode {
	case http.StatusOK:
		return readRate(resp.Body, from, to)
	case http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity:
		return exchangeRate{}, noRate(from, to, day)
	case http.StatusTooManyRequests:
		return exchangeRate{}, tool.Fail(tool.RateLimited, "The exchange rate service had too many requests. Try again in a minute.")
	default:
		return exchangeRate{}, tool.Fail(tool.NetworkError, "The exchange rate service answered with status %d. Try again later.",
			resp.StatusCode)
	}
}

// ratesURL returns the address of the rates service.
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
	return tool.Fail(tool.NotConfigured,
		"The base_url of the service %[1]s is not an http or https address. The operator corrects it: helve config set %[1]s base_url=%[2]s",
		ratesService, frankfurter)
}

func noRate(from, to, day string) error {
	for _, code := range []string{from, to} {
		if _, err := currency.ParseISO(code); err != nil {
			return tool.Fail(tool.ValidationError, "Unknown currency: '%s'. Use an ISO 4217 code such as USD, EUR or JPY.", code)
		}
	}
	if day != latestDay {
		return tool.Fail(tool.ValidationError,
			"There is no rate from %s to %s for %s. Choose a day from 1999 on, and currencies with published rates.", from, to, day)
	}
	return tool.Fail(tool.ValidationError,
		"Unknown currency: there is no published rate from %s to %s. Use ISO 4217 codes such as USD, EUR or JPY.", from, to)
}

// readRate parses an answer in Frankfurter's format:
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
	// A float64 formats as the digits it was parsed from, so 0.87 stays 87/100.
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&answer); err != nil {
		return exchangeRate{}, tool.Fail(tool.NetworkError,
			"The exchange rate service sent an answer that cannot be read. Try again later.").Because(err)
	}
	rate, ok := answer.Rates[to]
	switch {
	case !ok:
		return exchangeRate{}, noRate(from, to, latestDay)
	case rate <= 0 || answer.Amount <= 0 || answer.Base != "" && answer.Base != from:
		return exchangeRate{}, tool.Fail(tool.NetworkError, "The exchange rate service sent a rate that cannot be right. Try again later.")
	}
	value := new(big.Rat).Quo(calc.RatOf(rate, -1), calc.RatOf(answer.Amount, -1))
	return exchangeRate{value, textcut.First(answer.Date, len(time.DateOnly))}, nil
}
