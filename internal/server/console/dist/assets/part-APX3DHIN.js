import{k as o}from"/assets/part-J6MKCXNL.js";var a=o(!1);export{a};
