package finance

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/openai"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

type receiptArgs struct {
	Image       string `json:"image,omitempty" alias:"imagePath" doc:"The image as a file of the workspace: PNG, JPEG, GIF or WebP."`
	ImageBase64 string `json:"imageBase64,omitempty" doc:"The image itself in base64, or as a data: URL, in place of image."`
	SaveReceipt *bool  `json:"saveReceipt,omitempty" doc:"Whether the expense is recorded; the default is true."`
	Timezone    string `json:"timezone,omitempty" doc:"IANA time zone whose today counts if the receipt has no date; UTC if it is left out."`
}

type receiptResult struct {
	Receipt read     `json:"receipt" doc:"What the model read."`
	Saved   *expense `json:"saved,omitempty" doc:"The expense that was recorded."`
	Model   string   `json:"model"`
	Message string   `json:"message"`
}

// read holds the fields that a model reads from a receipt.
type read struct {
	Date          string      `json:"date,omitempty"`
	Amount        tool.Number `json:"amount"`
	Currency      string      `json:"currency,omitempty"`
	Merchant      string      `json:"merchant,omitempty"`
	Items         []readItem  `json:"items,omitempty"`
	Category      string      `json:"category,omitempty"`
	PaymentMethod string      `json:"paymentMethod,omitempty"`
}

type readItem struct {
	Name     string       `json:"name"`
	Quantity *tool.Number `json:"quantity,omitempty"`
	Price    *tool.Number `json:"price,omitempty"`
}

const question = `Read this receipt. Answer with one JSON object and nothing else: {"date": "YYYY-MM-DD", "amount": number, the total that was paid, "currency": ISO 4217 code, ` +
	`"merchant": string, "items": [{"name": string, "quantity": number, "price": number}], "category": one of ` + categories +
	`, "paymentMethod": string}. Leave out what the receipt does not show.`

var _ = tool.Add(Set, tool.Spec[receiptArgs, *receiptResult]{
	Name: "parse_receipt",
	Description: "Read a photographed receipt or invoice with the vision service, record it as an expense unless saveReceipt is false, " +
		"and return what was read.",
	Tags:          []string{"receipt", "invoice", "scan", "read receipt"},
	Example:       `{"image":"picture.png"}`,
	Risk:          tool.Low,
	Confirmation:  tool.ConfirmNever,
	Mutates:       true,
	Transactional: true,
	OpenWorld:     true,
	Scopes:        tool.Scopes{Paths: []string{"workspace"}, Hosts: []string{"*"}}, // base_url may name any host
	Needs:         tool.NeedStore | tool.NeedFiles | tool.NeedHTTP | tool.NeedSecrets,
	Errors:        []tool.Kind{tool.NotConfigured, tool.NetworkError, tool.ExecutionError, tool.PathNotAllowed, tool.FileNotFound},
	Timeout:       60 * time.Second,
	Run:           parseReceipt,
})

func parseReceipt(ctx context.Context, call *tool.Call, args receiptArgs) (*receiptResult, error) {
	now, err := today(call, args.Timezone)
	if err != nil {
		return nil, err
	}
	picture, err := args.picture(call)
	if err != nil {
		return nil, err
	}
	client, err := openai.Open(ctx, call, "to read the image of a receipt (parse_receipt)")
	if err != nil {
		return nil, err
	}
	res := &receiptResult{Message: "Receipt read; it was not recorded."}
	if res.Model, err = client.See(ctx, question, picture, &res.Receipt); err != nil {
		return nil, err
	}
	if res.Receipt.Amount == "" {
		return nil, tool.Fail(tool.ExecutionError, "the model %s found no amount on the image; record the expense with add_expense", res.Model)
	}
	if args.SaveReceipt != nil && !*args.SaveReceipt {
		return res, nil
	}
	v, err := res.Receipt.expense(call, now.Format(time.DateOnly))
	if err != nil {
		return nil, tool.Fail(tool.ExecutionError,
			"what the model %s read cannot be recorded: %s; set saveReceipt to false to see it, and use add_expense",
			res.Model, tool.AsError(err).Msg)
	}
	r, err := expenses.Insert(ctx, call.Store, v)
	if err != nil {
		return nil, err
	}
	saved := show(r)
	res.Saved, res.Message = &saved, "Receipt read and recorded: "+v.label()+"."
	call.Note("A model read the amounts; compare them with the receipt.")
	return res, nil
}

// expense returns the expense of a receipt.
func (r read) expense(call *tool.Call, today string) (stored, error) {
	in := input{
		Date:          r.Date,
		Amount:        r.Amount,
		Currency:      r.Currency,
		Category:      r.Category,
		Description:   r.Merchant,
		PaymentMethod: r.PaymentMethod,
	}
	if strings.TrimSpace(in.Description) == "" {
		in.Description = "Receipt"
	}
	in.Description = textcut.Excerpt(in.Description, 1000)
	in.PaymentMethod = textcut.Excerpt(in.PaymentMethod, 200)
	if !slices.Contains(strings.Split(categories, ","), in.Category) {
		in.Category = "other"
	}
	v, err := in.new(call, today)
	v.Source = receipt
	return v, err
}
