"use strict";(()=>{try{let e=localStorage.getItem("helve.theme");(e==="light"||e==="dark")&&(document.documentElement.dataset.theme=e)}catch{}})();
