package accounts

import "github.com/helve-dev/helve/tool"

func required(f tool.ServiceField) tool.ServiceField {
	f.Required = true
	return f
}

func address(standard, description string) tool.ServiceField {
	return tool.ServiceField{Name: "base_url", Type: tool.FieldURL, Default: standard, Description: description}
}

// searches returns the services of search_web.
func searches() []tool.Service {
	return []tool.Service{
		{
			Name: "searxng", Title: "SearXNG", Description: "A SearXNG server for search_web; its settings must allow the format json.",
			Fields: []tool.ServiceField{required(address("", "The address of the server."))},
			Test:   &tool.ServiceTest{URL: "{base_url}/config"},
		},
		{
			Name: "brave", Title: "Brave Search", Description: "Web search for search_web.",
			Fields: []tool.ServiceField{
				required(secret("api_key", "The subscription token.")), address("https://api.search.brave.com", "The address of the API."),
			},
		},
		{
			Name: "tavily", Title: "Tavily", Description: "Web search for search_web.",
			Fields: []tool.ServiceField{required(secret("api_key", "The key.")), address("https://api.tavily.com", "The address of the API.")},
			Test:   &tool.ServiceTest{URL: "{base_url}/usage", Bearer: "api_key"},
		},
	}
}

// weathers returns the services of the weather tools.
func weathers() []tool.Service {
	return []tool.Service{
		{
			Name: "openmeteo", Title: "Open-Meteo", Description: "Weather, also without an entry; an entry names another server or a key.",
			Fields: []tool.ServiceField{
				address("https://api.open-meteo.com", "The address of the forecasts."),
				{
					Name:        "geocoding_url",
					Type:        tool.FieldURL,
					Default:     "https://geocoding-api.open-meteo.com",
					Description: "The address of the search for places.",
				},
				secret("api_key", "The key of a paid plan."),
			},
			Test: &tool.ServiceTest{URL: "{geocoding_url}/v1/search?name=Berlin&count=1"},
		},
		{
			Name: "openweathermap", Title: "OpenWeatherMap", Description: "Weather, where Open-Meteo fails.",
			Fields: []tool.ServiceField{
				required(secret("api_key", "The key.")), address("https://api.openweathermap.org", "The address of the API."),
			},
			Test: &tool.ServiceTest{URL: "{base_url}/data/2.5/weather?q=London", Query: map[string]string{"appid": "{api_key}"}},
		},
		{
			Name: "weatherapi", Title: "WeatherAPI", Description: "Weather, where the others fail.",
			Fields: []tool.ServiceField{required(secret("api_key", "The key.")), address("https://api.weatherapi.com", "The address of the API.")},
			Test:   &tool.ServiceTest{URL: "{base_url}/v1/current.json?q=London", Query: map[string]string{"key": "{api_key}"}},
		},
	}
}

// translators returns the services of the translation tools.
func translators() []tool.Service {
	return []tool.Service{
		{
			Name: "deepl", Title: "DeepL", Description: "Translation.",
			Fields: []tool.ServiceField{
				required(secret("api_key", "The key.")),
				address("", "The address of the API; that of the free or the paid plan, by the key, if it is left out."),
			},
			Test: &tool.ServiceTest{URL: "{base_url}/v2/usage", Header: map[string]string{"Authorization": "DeepL-Auth-Key {api_key}"}},
		},
		{
			Name: "libretranslate", Title: "LibreTranslate", Description: "Translation by a server of your own.",
			Fields: []tool.ServiceField{required(address("", "The address of the server.")), secret("api_key", "The key, if the server wants one.")},
			Test:   &tool.ServiceTest{URL: "{base_url}/languages"},
		},
	}
}

// studios returns the services of image and audio tools beside openai.
func studios() []tool.Service {
	return []tool.Service{
		{
			Name: "stability", Title: "Stability AI", Description: "Pictures for generate_image.",
			Fields: []tool.ServiceField{required(secret("api_key", "The key.")), address("https://api.stability.ai", "The address of the API.")},
			Test:   &tool.ServiceTest{URL: "{base_url}/v1/user/balance", Bearer: "api_key"},
		},
		{
			Name: "elevenlabs", Title: "ElevenLabs", Description: "Speech for text_to_speech.",
			Fields: []tool.ServiceField{
				required(secret("api_key", "The key.")), address("https://api.elevenlabs.io", "The address of the API."),
				text("voice_id", "The voice."), text("model_id", "The model."),
			},
			Test: &tool.ServiceTest{URL: "{base_url}/v1/user", Header: map[string]string{"xi-api-key": "{api_key}"}},
		},
	}
}

// mail returns the services of the mail tools.
func mail() []tool.Service {
	secured := tool.ServiceField{
		Name:        "tls",
		Type:        tool.FieldText,
		Options:     []string{"starttls", "tls", "none"},
		Description: "How the connection is encrypted; without encryption no password is sent.",
	}
	account := text("account", "The service of type oauth2 whose account signs in, in place of a password.")
	authority := text("ca", "The certificate of the server's authority (PEM), if the system does not know it.")
	return []tool.Service{
		{
			Name: "smtp", Title: "Mail, outgoing", Description: "The server that send_email and reply_email send with.",
			Fields: []tool.ServiceField{
				required(text("host", "The server.")), {Name: "port", Type: tool.FieldNumber, Default: "587", Description: "Its port."},
				text("user", "The name to sign in with."), secret("password", "The password."),
				required(text("from", "The address that mails come from, such as Ann <ann@example.com>.")),
				secured, account, authority,
			},
			Test: &tool.ServiceTest{Dial: "smtp"},
		},
		{
			Name: "imap", Title: "Mail, incoming",
			Description: "The mailbox that list_emails, read_email, search_emails, delete_email and reply_email use.",
			Fields: []tool.ServiceField{
				required(text("host", "The server.")), {Name: "port", Type: tool.FieldNumber, Default: "993", Description: "Its port."},
				required(text("user", "The name to sign in with.")), secret("password", "The password."), secured, account, authority,
				text("trash", "The folder for deleted mails; the server's own if it is left out."),
				text("sent",
					"The folder that copies of sent mails are stored in; none if it is left out, since many servers store them by themselves."),
			},
			Test: &tool.ServiceTest{Dial: "imap"},
		},
	}
}
