package scheduler

import (
	"encoding/json"

	"github.com/helve-dev/helve/tool"
)

// Imported returns the document of a task of a file as it may be stored: switched off. A file
// can come from anybody, and a task makes calls as the agent that it names, so nothing of it
// runs before its person or agent has switched it on.
func Imported(doc json.RawMessage) (json.RawMessage, error) {
	var v stored
	if err := json.Unmarshal(doc, &v); err != nil {
		return nil, tool.Fail(tool.ValidationError, "the scheduled task is none that was exported").Because(err)
	}
	switch {
	case v.Type != typeTool && v.Type != typePrompt:
		return nil, tool.Fail(tool.ValidationError, "the type of the scheduled task %.80q is neither %s nor %s", v.Name, typeTool, typePrompt)
	case v.Type == typeTool && !tool.ValidName(v.ToolName):
		return nil, tool.Fail(tool.ValidationError, "the scheduled task %.80q names no tool", v.Name)
	}
	if !v.Enabled {
		return doc, nil
	}
	v.Enabled, v.NextRun = false, nil
	return json.Marshal(v)
}
