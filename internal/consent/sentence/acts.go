package sentence

// Sentences that are not about a tool of the table.
var (
	runs     = act{en: "Run the tool {tool}", de: "Das Werkzeug {tool} ausführen"}
	connects = act{en: "Connect an account of {service}", de: "Ein Konto bei {service} verbinden"}
	further  = act{en: "{texts} and {count} more", de: "{texts} und {count} weitere"}
)

// acts has the sentences of Helve's own tools, whose names nobody else can give a tool. The first
// that fits a call is taken: what stands later names less.
var acts = map[string][]act{
	"delete_file": {
		{when: "recursive", en: "Delete {path} with everything in it", de: "{path} mit allem darin löschen"},
		{en: "Delete the file {path}", de: "Die Datei {path} löschen"},
	},
	"write_file":       {{en: "Write the file {path}", de: "Die Datei {path} schreiben"}},
	"files.write_text": {{en: "Write the file {path}", de: "Die Datei {path} schreiben"}},
	"files.move_glob": {
		{when: "dry_run", en: "List the files {patterns} that would move to {to}", de: "Die Dateien {patterns} auflisten, die nach {to} kämen"},
		{en: "Move the files {patterns} to {to}", de: "Die Dateien {patterns} nach {to} verschieben"},
	},
	"extract_archive": {{en: "Unpack {path}", de: "{path} entpacken"}},
	"import_data":     {{en: "Import the data of {path}", de: "Die Daten aus {path} übernehmen"}},

	"shell.run":     {{en: "Run the command {command}", de: "Den Befehl {command} ausführen"}},
	"execute_shell": {{en: "Run the command {command} in a container", de: "Den Befehl {command} in einem Container ausführen"}},
	"package_manager": {
		{en: "Run {manager} {command} on the workspace", de: "{manager} {command} im Arbeitsverzeichnis ausführen"},
		{en: "Run the command {command} on the workspace", de: "Den Befehl {command} im Arbeitsverzeichnis ausführen"},
	},
	"run_cli_tool": {
		{en: "Run the program {name} with {args}", de: "Das Programm {name} mit {args} ausführen"},
		{en: "Run the program {name}", de: "Das Programm {name} ausführen"},
	},
	"install_cli_tool": {{en: "Install the program {name}", de: "Das Programm {name} installieren"}},
	"execute_python": {{
		en: "Run a Python program that the agent wrote",
		de: "Ein Python-Programm ausführen, das der Agent geschrieben hat",
	}},
	"execute_javascript": {{
		en: "Run a JavaScript program that the agent wrote",
		de: "Ein JavaScript-Programm ausführen, das der Agent geschrieben hat",
	}},
	"compile_code": {
		{
			en: "Compile a {language} program that the agent wrote, and run it",
			de: "Ein {language}-Programm übersetzen und ausführen, das der Agent geschrieben hat",
		},
		{en: "Compile a program that the agent wrote, and run it", de: "Ein Programm übersetzen und ausführen, das der Agent geschrieben hat"},
	},
	"run_coding_task": {{en: "Give {provider} a task to program", de: "{provider} eine Programmieraufgabe geben"}},

	"http_request": {
		{en: "Send the request {method} {url}", de: "Die Anfrage {method} {url} senden"},
		{en: "Send a request to {url}", de: "Eine Anfrage an {url} senden"},
	},
	"json_api": {
		{en: "Send the request {method} {url}", de: "Die Anfrage {method} {url} senden"},
		{en: "Send a request to {url}", de: "Eine Anfrage an {url} senden"},
	},
	"fetch_web_page": {{en: "Read the web page {url}", de: "Die Webseite {url} lesen"}},
	"download_file": {
		{en: "Download {url} to {path}", de: "{url} nach {path} herunterladen"},
		{en: "Download {url}", de: "{url} herunterladen"},
	},
	"search_web": {{en: "Search the web for {query}", de: "Im Web nach {query} suchen"}},

	"send_email": {
		{en: "Send the mail “{subject}” to {to}", de: "Die E-Mail „{subject}“ an {to} senden"},
		{en: "Send a mail to {to}", de: "Eine E-Mail an {to} senden"},
	},
	"reply_email": {
		{when: "replyAll", en: "Answer the mail {emailId}, to all of its recipients", de: "Die E-Mail {emailId} beantworten, an alle Empfänger"},
		{en: "Answer the mail {emailId}", de: "Die E-Mail {emailId} beantworten"},
	},
	"read_email":    {{en: "Read the mail {emailId}", de: "Die E-Mail {emailId} lesen"}},
	"search_emails": {{en: "Search your mail for {query}", de: "In Ihren E-Mails nach {query} suchen"}},
	"delete_email": {
		{when: "permanent", en: "Delete the mail {emailId} for ever", de: "Die E-Mail {emailId} endgültig löschen"},
		{en: "Move the mail {emailId} to the trash", de: "Die E-Mail {emailId} in den Papierkorb verschieben"},
	},

	"create_tool":        {{en: "Make a new tool named {name}", de: "Ein neues Werkzeug {name} anlegen"}},
	"update_custom_tool": {{en: "Change the tool {name}", de: "Das Werkzeug {name} ändern"}},
	"delete_custom_tool": {{en: "Delete the tool {name}", de: "Das Werkzeug {name} löschen"}},
	"share_custom_tool":  {{en: "Offer everybody the tool {name}", de: "Das Werkzeug {name} allen anbieten"}},

	"browser.open_url": {{en: "Open {url} in your browser", de: "{url} in Ihrem Browser öffnen"}},
	"apps.open": {
		{en: "Open {args} with {app}", de: "{args} mit {app} öffnen"},
		{en: "Open the application {app}", de: "Die Anwendung {app} öffnen"},
	},
	"clipboard.read": {{en: "Read your clipboard", de: "Ihre Zwischenablage lesen"}},

	"generate_image":  {{en: "Make a picture of {prompt}", de: "Ein Bild von {prompt} erzeugen"}},
	"edit_image":      {{en: "Change the picture {image}", de: "Das Bild {image} ändern"}},
	"image_variation": {{en: "Make pictures that resemble {image}", de: "Bilder erzeugen, die {image} ähneln"}},
	"text_to_speech":  {{en: "Have the text {text} spoken", de: "Den Text {text} sprechen lassen"}},

	"delete_bookmark":       {{en: "Delete the bookmark {bookmarkId}", de: "Das Lesezeichen {bookmarkId} löschen"}},
	"delete_calendar_event": {{en: "Delete the event {eventId} of the calendar", de: "Den Termin {eventId} löschen"}},
	"delete_contact":        {{en: "Delete the contact {contactId}", de: "Den Kontakt {contactId} löschen"}},
	"delete_custom_record":  {{en: "Delete the record {recordId}", de: "Den Eintrag {recordId} löschen"}},
	"delete_custom_table":   {{en: "Delete the table {table} with all of its records", de: "Die Tabelle {table} mit allen Einträgen löschen"}},
	"update_custom_table":   {{en: "Change the columns of the table {table}", de: "Die Spalten der Tabelle {table} ändern"}},
	"delete_expense":        {{en: "Delete the expense {expenseId}", de: "Die Ausgabe {expenseId} löschen"}},
	"delete_note":           {{en: "Delete the note {noteId}", de: "Die Notiz {noteId} löschen"}},
	"delete_scheduled_task": {{en: "Delete the scheduled task {taskId}", de: "Die geplante Aufgabe {taskId} löschen"}},
	"delete_task":           {{en: "Delete the task {taskId}", de: "Die Aufgabe {taskId} löschen"}},
	"delete_vectors": {
		{when: "deleteAll", en: "Delete all vectors of {collection}", de: "Alle Vektoren von {collection} löschen"},
		{en: "Delete vectors of {collection}", de: "Vektoren von {collection} löschen"},
	},
	"forget": {{en: "Forget the memory {memoryId}", de: "Die Erinnerung {memoryId} vergessen"}},
}
