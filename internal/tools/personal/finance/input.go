package finance

import (
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/dates"
	"github.com/helve-dev/helve/internal/lib/money"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// input is a new expense.
type input struct {
	Date          string      `json:"date,omitempty" doc:"The day of the expense, YYYY-MM-DD; today if it is left out."`
	Amount        tool.Number `json:"amount" doc:"What was spent, 0 or more, with no more decimals than the currency has."`
	Currency      string      `json:"currency,omitempty" doc:"ISO 4217 code of the currency, such as TRY, USD, EUR or GBP; the operator's default, or TRY, if it is left out."`
	Category      string      `json:"category" doc:"What it was spent on." enum:"food,transport,utilities,entertainment,shopping,health,education,travel,subscription,housing,other"`
	Description   string      `json:"description" doc:"What was bought." min:"1" max:"10000"`
	PaymentMethod string      `json:"paymentMethod,omitempty" doc:"How it was paid, such as cash or card." max:"200"`
	Tags          []string    `json:"tags,omitempty" doc:"Words to find it by."`
	Notes         string      `json:"notes,omitempty" doc:"Details." max:"900000"`
}

// categories lists the values of a category.
const categories = "food,transport,utilities,entertainment,shopping,health,education,travel,subscription,housing,other"

const (
	maxTags = 50
	maxTag  = 100
)

// new returns the expense to store, or what is wrong with the input.
func (in input) new(call *tool.Call, today string) (stored, error) {
	v := stored{
		Date: today, Category: in.Category, Description: strings.TrimSpace(in.Description),
		PaymentMethod: strings.TrimSpace(in.PaymentMethod), Notes: in.Notes, Source: entered,
	}
	if v.Description == "" {
		return v, tool.Fail(tool.ValidationError, "description is missing or blank")
	}
	if !slices.Contains(strings.Split(categories, ","), in.Category) {
		return v, tool.Fail(tool.ValidationError, "category is %q, and must be one of %s",
			textcut.Excerpt(in.Category, 30), strings.ReplaceAll(categories, ",", ", "))
	}
	var err error
	if in.Date != "" {
		if v.Date, err = day("date", in.Date); err != nil {
			return v, err
		}
	}
	if v.Currency, err = currencyOr(call, in.Currency); err != nil {
		return v, err
	}
	if in.Amount == "" {
		return v, tool.Fail(tool.ValidationError, "amount is missing")
	}
	amount, err := money.Parse(in.Amount, v.Currency)
	if err != nil {
		return v, tool.Fail(tool.ValidationError, "amount: %s", tool.AsError(err).Msg)
	}
	v.Amount = amount.Number()
	v.Tags, err = tagsOf(in.Tags)
	return v, err
}

// tagsOf returns the tags without blanks around them, each once.
func tagsOf(tags []string) (clean []string, err error) {
	for _, tag := range tags {
		tag = strings.TrimSpace(tag)
		switch {
		case tag == "" || slices.Contains(clean, tag):
		case len(tag) > maxTag || len(clean) == maxTags:
			return nil, tool.Fail(tool.ValidationError, "tags: at most %d tags of at most %d bytes are kept", maxTags, maxTag)
		default:
			clean = append(clean, tag)
		}
	}
	return clean, nil
}

// currencyOr returns the code of a currency, or the default one for "".
func currencyOr(call *tool.Call, text string) (string, error) {
	if strings.TrimSpace(text) == "" {
		text = call.Settings.Currency
	}
	if text == "" {
		text = fallback
	}
	code, err := money.Currency(text)
	if err != nil {
		return "", tool.Fail(tool.ValidationError, "currency: %s", tool.AsError(err).Msg)
	}
	return code, nil
}

// day reads a date and returns its day.
func day(parameter, text string) (string, error) {
	at, err := dates.Written(text)
	if err != nil {
		return "", tool.Fail(tool.ValidationError, "%s: %s", parameter, tool.AsError(err).Msg)
	}
	return at[:len(time.DateOnly)], nil
}

// today returns the present time in a zone; in UTC for no zone.
func today(call *tool.Call, zone string) (time.Time, error) {
	location, err := dates.ZoneOrUTC(&zone)
	if err != nil {
		return time.Time{}, err
	}
	return call.Clock.Now().In(location), nil
}

// noteZone notes that a day was taken in UTC because the caller named no zone.
func noteZone(call *tool.Call, zone string) {
	if zone == "" {
		call.Note("Days are those of UTC; timezone names another zone.")
	}
}
