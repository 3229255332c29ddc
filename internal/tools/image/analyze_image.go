package image

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/openai"
	"github.com/helve-dev/helve/tool"
)

type analyzeImageArgs struct {
	Image       string  `json:"image" alias:"source,path" min:"1" doc:"Image to look at: a path in the workspace, an http(s) URL, a data: URL or base64; jpg, png, gif, webp or bmp, at most 10 MB."`
	Task        string  `json:"task" enum:"describe,ocr,objects,faces,colors,custom" default:"describe" doc:"describe says what is shown, ocr reads the text, objects lists things, faces describes people without naming them, colors measures the main colours without any model, custom answers the question."`
	Question    string  `json:"question,omitempty" max:"4000" doc:"What you want to know; required for the task custom."`
	DetailLevel string  `json:"detailLevel" enum:"low,medium,high" default:"medium" doc:"How closely the model looks; high costs more."`
	MaxTokens   float64 `json:"maxTokens,omitempty" min:"1" max:"100000" doc:"Longest answer of the model, in tokens; the model's own limit by default."`
}

type analyzeImageResult struct {
	Source      string   `json:"source"`
	Format      string   `json:"format" enum:"png,jpeg,webp,gif,bmp"`
	Width       int      `json:"width"`
	Height      int      `json:"height"`
	Task        string   `json:"task"`
	Prompt      string   `json:"prompt,omitempty" doc:"The question that the model was asked."`
	DetailLevel string   `json:"detailLevel"`
	Text        string   `json:"text" doc:"The answer."`
	Objects     []string `json:"objects,omitempty" doc:"Names of what is shown, for the task objects."`
	Colors      []colour `json:"colors,omitempty" doc:"Main colours, the most frequent first, for the task colors."`
	Model       string   `json:"model,omitempty" doc:"The model that answered; absent for the task colors."`
}

const (
	taskObjects = "objects"
	taskColors  = "colors"
	taskCustom  = "custom"
)

var _ = tool.Add(Set, tool.Spec[analyzeImageArgs, *analyzeImageResult]{
	Name: "analyze_image",
	Description: "Describe a picture, read its text, list its objects, measure its colours or answer a question about it, " +
		"with a vision model.",
	Tags:      []string{"image", "photo", "picture", "analyze", "describe", "ocr", "vision", "read text", "what is shown", "colors"},
	Risk:      tool.Medium,
	Mutates:   false,
	OpenWorld: true,
	Scopes:    tool.Scopes{Paths: []string{"workspace"}, Hosts: []string{"*"}},
	Needs:     tool.NeedFiles | tool.NeedHTTP | tool.NeedSecrets,
	Errors: []tool.Kind{
		tool.NotConfigured, tool.FileNotFound, tool.PathNotAllowed, tool.FileTooLarge, tool.NetworkError, tool.ExecutionError,
	},
	Example: `{"image": "picture.png", "task": "ocr"}`,
	Timeout: 2 * time.Minute,
	Check: func(ctx context.Context, call *tool.Call, args analyzeImageArgs) error {
		switch {
		case args.Task == taskCustom && strings.TrimSpace(args.Question) == "":
			return tool.Fail(tool.ValidationError, "The task custom needs a question.")
		case args.Task == taskColors:
			return nil
		}
		_, err := openai.Open(ctx, call, toSee)
		return err
	},
	Run: analyzeImage,
})

const toSee = "to look at images (analyze_image); the task colors does without it"

func analyzeImage(ctx context.Context, call *tool.Call, args analyzeImageArgs) (*analyzeImageResult, error) {
	src, err := load(ctx, call, args.Image, maxSent)
	if err != nil {
		return nil, err
	}
	res := &analyzeImageResult{Source: src.shown, Format: kindOf(src.data), Task: args.Task, DetailLevel: args.DetailLevel}
	if err := supported(res.Format); err != nil {
		return nil, err
	}
	dimensions, err := declared(res.Format, src.data)
	if err != nil {
		return nil, err
	}
	res.Width, res.Height = dimensions.Width, dimensions.Height
	if args.Task == taskColors {
		pic, err := decode(ctx, src.data)
		if err != nil {
			return nil, err
		}
		res.Colors = colours(pic.Image)
		res.Text = inWords(res.Colors)
		return res, nil
	}
	return res, res.ask(ctx, call, args, src)
}

// ask has a model answer.
func (r *analyzeImageResult) ask(ctx context.Context, call *tool.Call, args analyzeImageArgs, src source) error {
	client, err := openai.Open(ctx, call, toSee)
	if err != nil {
		return err
	}
	pic, err := forModel(ctx, src, formatPNG, formatJPEG, formatWebP, formatGIF)
	if err != nil {
		return err
	}
	r.Prompt = args.prompt()
	seen, err := client.Look(ctx, openai.Sight{
		Question: r.Prompt, Image: pic.dataURL(), MaxTokens: int(args.MaxTokens),
		Detail: map[string]string{"low": "low", "medium": "auto", "high": "high"}[args.DetailLevel],
	})
	if err != nil {
		return err
	}
	r.Text, r.Model = seen.Text, seen.Model
	if args.Task == taskObjects {
		if r.Objects = objects(seen.Text); r.Objects != nil {
			r.Text = "Objects: " + strings.Join(r.Objects, ", ") + "."
		}
	}
	if seen.Cut {
		call.Note("The answer was cut; call again with a larger maxTokens for the rest.")
	}
	return nil
}

// prompt returns the question for the model.
func (args analyzeImageArgs) prompt() string {
	prompt := map[string]string{
		"describe": "Describe this picture: who or what is in it, where things are, and what is going on.",
		"ocr": "Write down all text in this picture exactly as it is there, in reading order and with its line breaks. " +
			"If there is none, say so.",
		taskObjects: `Which objects are in this picture? Answer with a JSON array of their names and nothing else, such as ["cup", "table"].`,
		"faces": "How many faces are in this picture? Say for each where it is, its expression and roughly the person's age. " +
			"Do not say who anybody is.",
		taskCustom: "",
	}[args.Task]
	prompt = strings.TrimSpace(prompt + " " + strings.TrimSpace(args.Question))
	if args.Task == taskCustom || args.Task == taskObjects || args.Task == "ocr" {
		return prompt
	}
	return strings.TrimSpace(prompt +
		map[string]string{"low": " Use one or two sentences.", "high": " Be thorough and mention small details."}[args.DetailLevel])
}

// objects reads the list of names that a model was asked for: a JSON array of strings or of
// objects with a name, alone, in an object or in a code block. It returns nil if the answer
// is something else.
func objects(text string) []string {
	text = strings.TrimSpace(text)
	text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(text, "```json"), "```"), "```")
	var wrapped struct {
		Objects []json.RawMessage `json:"objects"`
	}
	var list []json.RawMessage
	if json.Unmarshal([]byte(text), &list) != nil {
		if json.Unmarshal([]byte(text), &wrapped) != nil {
			return nil
		}
		list = wrapped.Objects
	}
	var names []string
	for _, item := range list {
		var named struct {
			Name string `json:"name"`
		}
		if json.Unmarshal(item, &named.Name) != nil && json.Unmarshal(item, &named) != nil {
			return nil
		}
		if name := strings.TrimSpace(named.Name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Present shows the answer.
func (r *analyzeImageResult) Present(res *tool.Result) { res.Text = r.Text }
