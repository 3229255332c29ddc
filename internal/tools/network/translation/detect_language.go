package translation

import (
	"context"
	"math"
	"time"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/internal/lib/tongue"
	"github.com/helve-dev/helve/tool"
)

type detectArgs struct {
	Text string `json:"text" doc:"Text whose language is to be recognised; the longer, the surer."`
}

type detectResult struct {
	Text                  string      `json:"text" doc:"Beginning of the text, 200 characters."`
	DetectedLanguage      string      `json:"detectedLanguage" doc:"Code of the most likely language; und if none is recognised."`
	LanguageName          string      `json:"languageName"`
	Confidence            float64     `json:"confidence" doc:"0 to 1; below 0.5 it is a guess."`
	AlternativeCandidates []candidate `json:"alternativeCandidates" doc:"Further languages, the most likely first, at most 3."`
}

type candidate struct {
	Language     string  `json:"language"`
	LanguageName string  `json:"languageName"`
	Confidence   float64 `json:"confidence"`
}

const (
	// shownText is the number of characters of the text in a result.
	shownText = 200
	// alternatives is the number of further languages in a result.
	alternatives = 3
	// guess is the confidence below which the result has a note.
	guess = 0.5
)

var _ = tool.Add(Set, tool.Spec[detectArgs, *detectResult]{
	Name:         "detect_language",
	Description:  "Recognise the language that a text is written in, offline, and report how sure that is.",
	Tags:         []string{"detect", "which language", "identify language"},
	Errors:       []tool.Kind{},
	Example:      `{"text":"Ich möchte gerne ein Buch über die Geschichte Roms lesen."}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      false,
	Idempotent:   true,
	Timeout:      10 * time.Second,
	Run:          detectLanguage,
})

func detectLanguage(_ context.Context, call *tool.Call, args detectArgs) (*detectResult, error) {
	if blank(args.Text) {
		return nil, tool.Fail(tool.ValidationError, "text is blank; send the text whose language is to be recognised")
	}
	res := &detectResult{
		Text:                  textcut.Excerpt(args.Text, shownText),
		DetectedLanguage:      "und",
		LanguageName:          "Unknown",
		AlternativeCandidates: []candidate{},
	}
	for i, g := range tongue.Detect(args.Text, 1+alternatives) {
		confidence := math.Round(g.Confidence*100) / 100
		switch {
		case i == 0:
			res.DetectedLanguage, res.LanguageName, res.Confidence = g.Code, g.Name, confidence
		case confidence > 0:
			res.AlternativeCandidates = append(res.AlternativeCandidates, candidate{g.Code, g.Name, confidence})
		}
	}
	if res.Confidence < guess {
		call.Note("The language is a guess: the text is short, or of a kind that is hard to tell.")
	}
	return res, nil
}
