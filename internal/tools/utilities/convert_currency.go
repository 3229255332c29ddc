package utilities

import (
	"context"
	"encoding/json"
	"math"
	"math/big"
	"strings"
	"time"

	"golang.org/x/text/currency"

	"github.com/helve-dev/helve/tool"
)

type convertCurrencyArgs struct {
	Amount float64 `json:"amount" doc:"How much money to convert."`
	From   string  `json:"from" doc:"Currency of amount, by its ISO 4217 code such as USD."`
	To     string  `json:"to" doc:"Currency to convert to."`
	Date   string  `json:"date,omitempty" doc:"Day whose rate counts, such as 2026-01-15; the latest rate when left out."`
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
	// maxMoney is the largest amount whose cents a float64 still holds.
	maxMoney = 1e13
	// ratePlaces are the decimals of a rate that are shown.
	ratePlaces = 10
)

var _ = tool.Add(Set, tool.Spec[convertCurrencyArgs, convertCurrencyResult]{
	Name:        "convert_currency",
	Description: "Convert an amount of money between currencies by the central banks' published rates, of today or a past day; returns the converted amount, the rate and its day.",
	Tags:        []string{"currency", "convert", "money", "exchange rate", "dollar", "euro", "pound", "yen", "forex", "price"},
	Group:       "conversion",
	Risk:        tool.Medium,
	Mutates:     false,
	Idempotent:  true,
	OpenWorld:   true,
	Scopes:      tool.Scopes{Hosts: []string{"*"}}, // base_url may name any host
	Needs:       tool.NeedHTTP | tool.NeedSecrets,
	Errors:      []tool.Kind{tool.NetworkError, tool.NotConfigured},
	Example:     `{"amount": 100, "from": "USD", "to": "EUR"}`,
	Timeout:     20 * time.Second,
	Run:         convertCurrency,
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
	if math.Abs(args.Amount) > maxMoney {
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
	amount := ratOf(args.Amount, -1)
	converted := moneyText(new(big.Rat).Mul(amount, rate.value), to)
	return convertCurrencyResult{
		Amount: args.Amount, From: from, To: to,
		Rate:      json.RawMessage(decimalText(rate.value, ratePlaces)),
		Result:    json.RawMessage(plainNumberText(converted)),
		Formatted: grouped(moneyText(amount, from)) + " " + from + " = " + grouped(converted) + " " + to,
		Date:      rate.day,
	}, nil
}

// currencyWords are other names of the most used currencies.
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
		return "", tool.Fail(tool.ValidationError, "Unknown currency: '%s'. Use an ISO 4217 code such as USD, EUR or JPY.", shortened(text))
	}
	return code, nil
}

func rateDay(call *tool.Call, date string) (string, error) {
	if text := strings.TrimSpace(date); text == "" || text == latestDay {
		return latestDay, nil
	}
	now := call.Clock.Now()
	t, err := readDate(date, time.UTC, now)
	if err != nil {
		return "", err
	}
	if t.After(now) {
		return "", tool.Fail(tool.ValidationError, "The date lies in the future, which has no rates yet. Choose a past day, or leave it out.")
	}
	return t.UTC().Format(time.DateOnly), nil
}

// moneyText rounds to the decimals of the currency, halves away from zero, and
// shows them all; of less than the smallest coin two digits remain.
func moneyText(amount *big.Rat, code string) string {
	places := 2
	if unit, err := currency.ParseISO(code); err == nil {
		places, _ = currency.Standard.Rounding(unit)
	}
	text := amount.FloatString(places)
	if amount.Sign() == 0 || strings.ContainsAny(text, "123456789") {
		return text
	}
	left := new(big.Rat).Mul(new(big.Rat).Abs(amount), new(big.Rat).SetInt(powerOfTen(places)))
	for ; left.Cmp(big.NewRat(1, 1)) < 0 && places < maxPlaces; places++ {
		left.Mul(left, big.NewRat(10, 1))
	}
	return amount.FloatString(places + 1)
}

// plainNumberText drops zeros behind the point.
func plainNumberText(text string) string {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return "0"
	}
	return decimalText(r, maxPlaces+1)
}
