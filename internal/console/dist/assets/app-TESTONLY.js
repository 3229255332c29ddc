document.title = "Helve";
