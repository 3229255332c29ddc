package utilities

import (
	"context"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/random"
	"github.com/helve-dev/helve/tool"
)

type loremArgs struct {
	Count          *int   `json:"count,omitempty" doc:"How many of unit: at most 50 paragraphs, 500 sentences or 5000 words." default:"1"`
	Unit           string `json:"unit,omitempty" enum:"paragraphs,sentences,words" default:"paragraphs"`
	StartWithLorem bool   `json:"startWithLorem,omitempty" doc:"Begin with Lorem ipsum dolor sit amet." default:"true"`
}

type loremResult struct {
	Text       string `json:"text"`
	Paragraphs int    `json:"paragraphs"`
	Sentences  int    `json:"sentences"`
	Words      int    `json:"words"`
}

// Present shows only the text.
func (r *loremResult) Present(res *tool.Result) { res.Text = r.Text }

var _ = tool.Add(Set, tool.Spec[loremArgs, *loremResult]{
	Name: "generate_lorem_ipsum",
	Description: "Make Latin-looking filler text of so many words, sentences or paragraphs, for drafts and layouts that lack their text; " +
		"returns the text and its size.",
	Tags:       []string{"lorem ipsum", "placeholder", "filler", "dummy text", "sample text", "generate"},
	Group:      "generation",
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Errors:     []tool.Kind{},
	Example:    `{"count": 2, "unit": "sentences"}`,
	Timeout:    10 * time.Second,
	Run:        generateLorem,
})

var maxLorem = map[string]int{"paragraphs": 50, "sentences": 500, "words": 5000}

// loremOpening holds the well-known first words of the text.
var loremOpening = strings.Fields("lorem ipsum dolor sit amet consectetur adipiscing elit")

var loremWords = strings.Fields(`a ac accumsan ad aenean aliquam aliquet ante aptent arcu at auctor augue bibendum
	blandit class commodo condimentum congue consequat conubia convallis cras cubilia cursus dapibus diam dictum
	dignissim dis dui efficitur egestas eget eleifend elementum enim erat eros est et etiam eu euismod ex felis
	faucibus fermentum feugiat finibus fringilla fusce gravida habitant hendrerit iaculis id imperdiet in
	integer interdum justo lacinia lacus laoreet lectus leo libero ligula litora lobortis luctus maecenas magna
	malesuada massa mattis mauris maximus metus mi mollis morbi nam nec neque nibh nisi nisl non nulla nullam nunc
	odio orci ornare pellentesque pharetra placerat porta posuere praesent pretium proin pulvinar purus quam quis
	quisque rhoncus risus rutrum sagittis sapien scelerisque sed sem semper senectus sodales sollicitudin suscipit
	tellus tempor tempus tincidunt tortor tristique turpis ullamcorper ultrices urna ut varius vehicula vel velit
	venenatis vestibulum vitae vivamus viverra volutpat vulputate`)

// loremText builds filler text.
type loremText struct {
	w       strings.Builder
	opening []string
	res     loremResult
}

func generateLorem(_ context.Context, _ *tool.Call, args loremArgs) (*loremResult, error) {
	count := random.Count(args.Count, 1, maxLorem[args.Unit])
	text := &loremText{}
	if args.StartWithLorem {
		text.opening = loremOpening
	}
	switch args.Unit {
	case "words":
		text.words(count)
		text.res.Paragraphs, text.res.Sentences = 1, 1
	case "sentences":
		text.res.Paragraphs = 1
		for range count {
			text.sentence()
		}
	default:
		for i := range count {
			if i > 0 {
				text.w.WriteString("\n\n")
			}
			text.paragraph()
		}
	}
	text.res.Text = text.w.String()
	return &text.res, nil
}

func (t *loremText) paragraph() {
	t.res.Paragraphs++
	for range 4 + random.Below(4) {
		t.sentence()
	}
}

func (t *loremText) sentence() {
	if text := t.w.String(); text != "" && !strings.HasSuffix(text, "\n") {
		t.w.WriteByte(' ')
	}
	t.res.Sentences++
	t.words(6 + random.Below(9))
	t.w.WriteByte('.')
}

// words writes n words, the first with a capital, and no word twice in a row.
func (t *loremText) words(n int) {
	last := ""
	for i := range n {
		word := last
		for word == last {
			word = loremWords[random.Below(len(loremWords))]
		}
		if len(t.opening) > 0 {
			word, t.opening = t.opening[0], t.opening[1:]
		}
		last = word
		if i == 0 {
			word = strings.ToUpper(word[:1]) + word[1:]
		} else {
			t.w.WriteByte(' ')
		}
		t.w.WriteString(word)
	}
	t.res.Words += n
}
