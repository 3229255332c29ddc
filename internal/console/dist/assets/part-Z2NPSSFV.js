import{m as t,p as o,v as e}from"/assets/part-IEGG77Y6.js";function i(){return o(e,{title:t().inbox.title,children:null})}export{i as default};
