import{k as o}from"/assets/part-6YWCGWC5.js";var a=o(!1);export{a};
