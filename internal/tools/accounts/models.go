package accounts

import "github.com/helve-dev/helve/tool"

// openAI is the service of tools that use a model: embeddings, receipts, goals, prompts,
// texts, pictures, speech.
func openAI() tool.Service {
	return tool.Service{
		Name: "openai", Title: "OpenAI, or any endpoint with its API",
		Description: "Models for embeddings, receipts, steps of goals, scheduled prompts, summaries, structured data, translation, " +
			"pictures and speech.",
		Fields: []tool.ServiceField{
			secret("api_key", "The key; leave it out for an endpoint without authentication."),
			{Name: "base_url", Type: tool.FieldURL, Default: "https://api.openai.com/v1", Description: "The endpoint."},
			text("text_model", "The model that writes texts."),
			text("vision_model", "The model that reads pictures."),
			text("image_model", "The model that makes pictures."),
			text("tts_model", "The model that speaks."),
			text("stt_model", "The model that transcribes speech."),
			text("embedding_model", "The model of embeddings."),
		},
		Test: &tool.ServiceTest{URL: "{base_url}/models", Bearer: "api_key"},
	}
}

// languageModels returns the services of tools that use a model for texts, beside openai.
func languageModels() []tool.Service {
	return []tool.Service{
		{
			Name: "anthropic", Title: "Anthropic", Description: "Models for summaries, structured data and translation, where openai has no entry.",
			Fields: []tool.ServiceField{
				required(secret("api_key", "The key.")), address("https://api.anthropic.com", "The address of the API."),
				text("text_model", "The model that writes texts."),
			},
			Test: &tool.ServiceTest{
				URL: "{base_url}/v1/models", Header: map[string]string{"X-Api-Key": "{api_key}", "Anthropic-Version": "2023-06-01"},
			},
		},
		{
			Name: "gemini", Title: "Google Gemini",
			Description: "Models for summaries, structured data and translation, where neither openai nor anthropic has an entry.",
			Fields: []tool.ServiceField{
				required(secret("api_key", "The key.")), address("https://generativelanguage.googleapis.com", "The address of the API."),
				text("text_model", "The model that writes texts."),
			},
			Test: &tool.ServiceTest{URL: "{base_url}/v1beta/models", Header: map[string]string{"X-Goog-Api-Key": "{api_key}"}},
		},
	}
}

// codingKey is the service with the key of a coding agent.
func codingKey(name, title string) tool.Service {
	key := secret("api_key", "The key, which only the program gets.")
	key.Required = true
	return tool.Service{
		Name:        name,
		Title:       title,
		Description: "The key of a coding agent (run_coding_task).",
		Fields:      []tool.ServiceField{key},
	}
}

// codingAgents is the service of the operator's own coding agents.
func codingAgents() tool.Service {
	program := text("program", "The program, by its name on the worker's PATH.")
	program.Required = true
	return tool.Service{
		Name: "coding_agents", Title: "Coding agents of your own", Shared: true,
		Description: "A program for run_coding_task; its label is the name after custom:.",
		Fields: []tool.ServiceField{
			program, text("args", "Words, or a JSON array of them, with {prompt}, {model}, {max_turns} and {max_budget_usd}."),
			secret("api_key", "A key for the program."), text("api_key_env", "The variable in which the program expects the key."),
			text("title", "Its name for people."), text("version_args", "The arguments that print its version."),
		},
	}
}
